import type { Commands } from './command.ts';

export const commandTable: Commands = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  doctor: async () => (await import('./doctor/doctor.ts')).doctorCommand,
  compare: async () => (await import('./compare/compare.ts')).compareCommand,
  contracts: {
    description: 'tell which partners a change of a contract affects',
    example: 'artist-gateway contracts check --against https://api.example.com/openapi.json',
    commands: {
      check: async () => (await import('./contracts/check.ts')).checkCommand,
    },
  },
  catalogue: {
    description: 'import, validate and export artists, histories and labels',
    example: 'artist-gateway catalogue import /data/charts-2026',
    commands: {
      import: async () => (await import('./catalogue/import.ts')).importCommand,
      validate: async () => (await import('./catalogue/validate.ts')).validateCommand,
      show: async () => (await import('./catalogue/show.ts')).showCommand,
      log: async () => (await import('./catalogue/log.ts')).logCommand,
      schema: async () => (await import('./catalogue/schema.ts')).schemaCommand,
      export: async () => (await import('./catalogue/export.ts')).exportCommand,
      indexes: async () => (await import('./catalogue/indexes.ts')).indexesCommand,
    },
  },
  keys: {
    description: 'issue, show, change and revoke the keys of partners (in MONGODB_URL)',
    example: 'artist-gateway keys list --organization acme',
    commands: {
      issue: async () => (await import('./keys/issue.ts')).issueCommand,
      list: async () => (await import('./keys/list.ts')).listCommand,
      show: async () => (await import('./keys/show.ts')).showCommand,
      rotate: async () => (await import('./keys/rotate.ts')).rotateCommand,
      revoke: async () => (await import('./keys/revoke.ts')).revokeCommand,
      set: async () => (await import('./keys/set.ts')).setCommand,
      pin: async () => (await import('./keys/pin.ts')).pinCommand,
      sunset: async () => (await import('./keys/sunset.ts')).sunsetCommand,
      log: async () => (await import('./keys/log.ts')).logCommand,
      verify: async () => (await import('./keys/verify.ts')).verifyCommand,
    },
  },
  organizations: {
    description:
      'create, change, suspend and resume the customers that keys belong to (in MONGODB_URL)',
    example: 'artist-gateway organizations set acme --name "Acme Music"',
    commands: {
      set: async () => (await import('./organizations/set.ts')).setCommand,
      list: async () => (await import('./organizations/list.ts')).listCommand,
      suspend: async () => (await import('./organizations/suspend.ts')).suspendCommand,
      resume: async () => (await import('./organizations/suspend.ts')).resumeCommand,
    },
  },
  quota: {
    description:
      'show and reset the quota counts (in REDIS_URL) of an organization or a key (in MONGODB_URL)',
    example: 'artist-gateway quota show acme',
    commands: {
      show: async () => (await import('./quota/show.ts')).showCommand,
      replay: async () => (await import('./quota/replay.ts')).replayCommand,
      reset: async () => (await import('./quota/reset.ts')).resetCommand,
    },
  },
  usage: async () => (await import('./usage/usage.ts')).usageCommand,
  migration: {
    description: 'move partners from the variant form to the current form (in MONGODB_URL)',
    example: 'artist-gateway migration status',
    commands: {
      status: async () => (await import('./migration/status.ts')).statusCommand,
      report: async () => (await import('./migration/report.ts')).reportCommand,
      guide: async () => (await import('./migration/guide.ts')).guideCommand,
      ids: async () => (await import('./migration/identifiers.ts')).idsCommand,
      labels: async () => (await import('./migration/identifiers.ts')).labelsCommand,
    },
  },
};
