import type { Commands } from './command.ts';

/** Every command of the operator, in the order of `--help`. */
export const commandTable: Commands = {
  serve: {
    description: 'run the gateway; its settings are environment variables',
    example: 'PORT=8080 artist-gateway serve',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  doctor: {
    description: 'check settings, stores, rights, indexes, clocks and keys, and say what to do',
    example: 'artist-gateway doctor',
    load: async () => (await import('./doctor/doctor.ts')).doctorCommand,
  },
  compare: {
    description: 'ask both forms the same questions and check that their answers are one truth',
    load: async () => (await import('./compare/compare.ts')).compareCommand,
  },
  catalogue: {
    description: 'import, check and look over artists, histories and labels',
    example: 'artist-gateway catalogue import /data/charts-2026',
    commands: {
      import: {
        description: 'check files, and write the differences to the database (in MONGODB_URL); safe to run again',
        example: 'artist-gateway catalogue import /data/charts-2026 --prune',
        load: async () => (await import('./catalogue/import.ts')).importCommand,
      },
      validate: {
        description: 'check files as an import does, and write nothing',
        example: 'artist-gateway catalogue validate /data/charts-2026',
        load: async () => (await import('./catalogue/validate.ts')).validateCommand,
      },
      export: {
        description: 'write the stored catalogue (in MONGODB_URL) to the files that "import" reads; never keys',
        example: 'artist-gateway catalogue export /backup/2026-08-22',
        load: async () => (await import('./catalogue/export.ts')).exportCommand,
      },
      stats: {
        description:
          'show statistics of the stored catalogue: counts, dates, tiers, members often missing, series with gaps',
        example: 'artist-gateway catalogue stats',
        load: async () => (await import('./catalogue/stats.ts')).statsCommand,
      },
      indexes: {
        description: 'create the indexes that are missing (in MONGODB_URL), and list all',
        example: 'artist-gateway catalogue indexes --check',
        load: async () => (await import('./catalogue/indexes.ts')).indexesCommand,
      },
    },
  },
  keys: {
    description: 'issue, show, change and revoke the keys of partners (in MONGODB_URL)',
    example: 'artist-gateway keys list --organization acme',
    commands: {
      issue: {
        description: 'create a key for a partner; its text is printed once and never stored',
        example: `artist-gateway keys issue --organization acme \\
  --form current --partner "Acme Radio" --expires 365d \\
  --scopes artists:read,spikes:read,signings:read \\
  --reason "contract 2026/14"`,
        load: async () => (await import('./keys/issue.ts')).issueCommand,
      },
      list: {
        description: 'list keys with form, scopes and state, oldest first',
        example: 'artist-gateway keys list --organization acme --json',
        load: async () => (await import('./keys/list.ts')).listCommand,
      },
      show: {
        description: 'show the policy of a key: form, scopes, quotas, expiry, and its last change',
        example: 'artist-gateway keys show 3fK9sQ2xA',
        load: async () => (await import('./keys/show.ts')).showCommand,
      },
      rotate: {
        description: 'replace a key by a new one; both are valid until the overlap ends',
        example: 'artist-gateway keys rotate 3fK9sQ2xA --overlap 7d --reason "yearly"',
        load: async () => (await import('./keys/rotate.ts')).rotateCommand,
      },
      revoke: {
        description: 'revoke a key now; this cannot be undone',
        example: 'artist-gateway keys revoke 3fK9sQ2xA --reason "found in a public repository"',
        load: async () => (await import('./keys/revoke.ts')).revokeCommand,
      },
      set: {
        description: 'change the partner, scopes, override or quota of a key (its form: "keys pin")',
        example: 'artist-gateway keys set 3fK9sQ2xA --per-hour 500 --reason "larger contract"',
        load: async () => (await import('./keys/set.ts')).setCommand,
      },
      pin: {
        description: 'move a key to the other form, or back; its other settings stay',
        example: 'artist-gateway keys pin 3fK9sQ2xA --form current --reason "moved, ticket 77"',
        load: async () => (await import('./keys/pin.ts')).pinCommand,
      },
      sunset: {
        description: 'announce when the variant form ends for a key (Deprecation, Sunset, Link), or withdraw that',
        example: 'artist-gateway keys sunset 3fK9sQ2xA --on 2027-06-30 --reason "contract 2026/14"',
        load: async () => (await import('./keys/sunset.ts')).sunsetCommand,
      },
      log: {
        description: 'list every change of keys, organizations and quotas, newest last',
        example: 'artist-gateway keys log --organization acme',
        load: async () => (await import('./keys/log.ts')).logCommand,
      },
    },
  },
  organizations: {
    description: 'create, change, suspend and resume the customers that keys belong to (in MONGODB_URL)',
    example: 'artist-gateway organizations set acme --name "Acme Music"',
    commands: {
      set: {
        description: 'create an organization, or change its name and quotas',
        example: 'artist-gateway organizations set acme --name "Acme Music" --per-day 5000',
        load: async () => (await import('./organizations/set.ts')).setCommand,
      },
      list: {
        description: 'list organizations with their quotas and how many keys were issued to them',
        example: 'artist-gateway organizations list',
        load: async () => (await import('./organizations/list.ts')).listCommand,
      },
      suspend: {
        description: 'refuse all keys of an organization, until it is resumed',
        example: 'artist-gateway organizations suspend acme --reason "unpaid"',
        load: async () => (await import('./organizations/suspend.ts')).suspendCommand,
      },
      resume: {
        description: 'accept the keys of a suspended organization again',
        example: 'artist-gateway organizations resume acme --reason "paid"',
        load: async () => (await import('./organizations/suspend.ts')).resumeCommand,
      },
    },
  },
  quota: {
    description: 'show and reset the quota counts (in REDIS_URL) of an organization or a key (in MONGODB_URL)',
    example: 'artist-gateway quota show acme',
    commands: {
      show: {
        description: 'show what is left in each window; consumes nothing',
        example: 'artist-gateway quota show acme',
        load: async () => (await import('./quota/show.ts')).showCommand,
      },
      replay: {
        description: 'show what other limits would have refused in the last days, and the least that refuse nothing',
        example: 'artist-gateway quota replay acme --per-minute 20 --per-day 2000 --days 7',
        load: async () => (await import('./quota/replay.ts')).replayCommand,
      },
      reset: {
        description: 'set the counts of the current windows to 0',
        example: 'artist-gateway quota reset acme --reason "our load test"',
        load: async () => (await import('./quota/reset.ts')).resetCommand,
      },
    },
  },
  usage: {
    description: 'list the requests of each key: form, route, parameters, refusals; latest call first (in MONGODB_URL)',
    example: 'artist-gateway usage --days 90 --form variant',
    load: async () => (await import('./usage/usage.ts')).usageCommand,
  },
  readiness: {
    description:
      'report what a partner must change to move to the current form, from its usage, and how its quota would hold',
    example: 'artist-gateway readiness 3fK9sQ2xA --days 14',
    load: async () => (await import('./readiness/readiness.ts')).readinessCommand,
  },
  sunset: {
    description: 'report on keys near their sunset (set it with "keys sunset")',
    example: 'artist-gateway sunset report --within 60',
    commands: {
      report: {
        description: 'list keys whose sunset has passed or is near, and whether they still call in the variant form',
        example: 'artist-gateway sunset report --within 60 --csv',
        load: async () => (await import('./readiness/sunset-report.ts')).reportCommand,
      },
    },
  },
  crosswalk: {
    description: 'export data for a partner that moves from one form to the other (in MONGODB_URL)',
    example: 'artist-gateway crosswalk ids --organization acme --csv > acme-ids.csv',
    commands: {
      ids: {
        description: 'list the identifier of every artist in the variant form beside that in the current form',
        example: 'artist-gateway crosswalk ids --organization acme --csv > acme-ids.csv',
        load: async () => (await import('./readiness/crosswalk-ids.ts')).idsCommand,
      },
    },
  },
};
