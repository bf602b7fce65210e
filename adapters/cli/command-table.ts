import { keyCommands } from './keys/key-commands.ts';
import type { CommandEntry, CommandGroup } from './program.ts';

/** Every command of the operator, in the order of `--help`. */
export const commandTable: readonly (CommandEntry | CommandGroup)[] = [
  {
    name: 'serve',
    description: 'run the gateway; its settings are environment variables',
    example: 'PORT=8080 artist-gateway serve',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  {
    name: 'doctor',
    description: 'check settings, stores, rights, indexes, clocks and keys, and say what to do',
    example: 'artist-gateway doctor',
    load: async () => (await import('./doctor/doctor.ts')).doctorCommand,
  },
  {
    name: 'compare',
    description: 'ask both forms the same questions and check that their answers are one truth',
    load: async () => (await import('./compare/compare.ts')).compareCommand,
  },
  {
    name: 'catalogue',
    description: 'import, check and look over artists, histories and labels',
    example: 'artist-gateway catalogue import /data/charts-2026',
    commands: [
      {
        name: 'import',
        description: 'check files, and write the differences to the database (in MONGODB_URL); safe to run again',
        example: 'artist-gateway catalogue import /data/charts-2026 --prune',
        load: async () => (await import('./catalogue/import.ts')).importCommand,
      },
      {
        name: 'validate',
        description: 'check files as an import does, and write nothing',
        example: 'artist-gateway catalogue validate /data/charts-2026',
        load: async () => (await import('./catalogue/validate.ts')).validateCommand,
      },
      {
        name: 'export',
        description: 'write the stored catalogue (in MONGODB_URL) to the files that "import" reads; never keys',
        example: 'artist-gateway catalogue export /backup/2026-08-22',
        load: async () => (await import('./catalogue/export.ts')).exportCommand,
      },
      {
        name: 'stats',
        description:
          'show statistics of the stored catalogue: counts, dates, tiers, members often missing, series with gaps',
        example: 'artist-gateway catalogue stats',
        load: async () => (await import('./catalogue/stats.ts')).statsCommand,
      },
      {
        name: 'indexes',
        description: 'create the indexes that are missing (in MONGODB_URL), and list all',
        example: 'artist-gateway catalogue indexes --check',
        load: async () => (await import('./catalogue/indexes.ts')).indexesCommand,
      },
    ],
  },
  keyCommands,
  {
    name: 'organizations',
    description: 'create, change, suspend and resume the customers that keys belong to (in MONGODB_URL)',
    example: 'artist-gateway organizations set acme --name "Acme Music"',
    commands: [
      {
        name: 'set',
        description: 'create an organization, or change its name and quotas',
        example: 'artist-gateway organizations set acme --name "Acme Music" --per-day 5000',
        load: async () => (await import('./organizations/set.ts')).setCommand,
      },
      {
        name: 'list',
        description: 'list organizations with their quotas and how many keys were issued to them',
        example: 'artist-gateway organizations list',
        load: async () => (await import('./organizations/list.ts')).listCommand,
      },
      {
        name: 'suspend',
        description: 'refuse all keys of an organization, until it is resumed',
        example: 'artist-gateway organizations suspend acme --reason "unpaid"',
        load: async () => (await import('./organizations/suspend.ts')).suspendCommand,
      },
      {
        name: 'resume',
        description: 'accept the keys of a suspended organization again',
        example: 'artist-gateway organizations resume acme --reason "paid"',
        load: async () => (await import('./organizations/suspend.ts')).resumeCommand,
      },
    ],
  },
  {
    name: 'quota',
    description: 'show and reset the quota counts (in REDIS_URL) of an organization or a key (in MONGODB_URL)',
    example: 'artist-gateway quota show acme',
    commands: [
      {
        name: 'show',
        description: 'show what is left in each window; consumes nothing',
        example: 'artist-gateway quota show acme',
        load: async () => (await import('./quota/show.ts')).showCommand,
      },
      {
        name: 'replay',
        description: 'show what other limits would have refused in the last days, and the least that refuse nothing',
        example: 'artist-gateway quota replay acme --per-minute 20 --per-day 2000 --days 7',
        load: async () => (await import('./quota/replay.ts')).replayCommand,
      },
      {
        name: 'reset',
        description: 'set the counts of the current windows to 0',
        example: 'artist-gateway quota reset acme --reason "our load test"',
        load: async () => (await import('./quota/reset.ts')).resetCommand,
      },
    ],
  },
  {
    name: 'usage',
    description: 'list the requests of each key: form, route, parameters, refusals; latest call first (in MONGODB_URL)',
    example: 'artist-gateway usage --days 90 --form variant',
    load: async () => (await import('./usage/usage.ts')).usageCommand,
  },
  {
    name: 'readiness',
    description:
      'report what a partner must change to move to the current form, from its usage, and how its quota would hold',
    example: 'artist-gateway readiness 3fK9sQ2xA --days 14',
    load: async () => (await import('./readiness/readiness.ts')).readinessCommand,
  },
  {
    name: 'sunset',
    description: 'report on keys near their sunset (set it with "keys sunset")',
    example: 'artist-gateway sunset report --within 60',
    commands: [
      {
        name: 'report',
        description: 'list keys whose sunset has passed or is near, and whether they still call in the variant form',
        example: 'artist-gateway sunset report --within 60 --csv',
        load: async () => (await import('./readiness/sunset-report.ts')).reportCommand,
      },
    ],
  },
  {
    name: 'crosswalk',
    description: 'export data for a partner that moves from one form to the other (in MONGODB_URL)',
    example: 'artist-gateway crosswalk ids --organization acme --csv > acme-ids.csv',
    commands: [
      {
        name: 'ids',
        description: 'list the identifier of every artist in the variant form beside that in the current form',
        example: 'artist-gateway crosswalk ids --organization acme --csv > acme-ids.csv',
        load: async () => (await import('./readiness/crosswalk-ids.ts')).idsCommand,
      },
    ],
  },
];
