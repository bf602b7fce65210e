import type { CommandGroup } from '../program.ts';

/** The commands for keys, in the order of `--help`. */
export const keyCommands: CommandGroup = {
  name: 'keys',
  description: 'issue, show, change and revoke the keys of partners (in MONGODB_URL)',
  example: 'artist-gateway keys list --organization acme',
  commands: [
    {
      name: 'issue',
      description: 'create a key for a partner; its text is printed once and never stored',
      example: `artist-gateway keys issue --organization acme \\
  --form current --partner "Acme Radio" --expires 365d \\
  --scopes artists:read,spikes:read,signings:read \\
  --reason "contract 2026/14"`,
      load: async () => (await import('./issue.ts')).issueCommand,
    },
    {
      name: 'list',
      description: 'list keys with form, scopes and state, oldest first',
      example: 'artist-gateway keys list --organization acme --json',
      load: async () => (await import('./list.ts')).listCommand,
    },
    {
      name: 'show',
      description: 'show the policy of a key: form, scopes, quotas, expiry, and its last change',
      example: 'artist-gateway keys show 3fK9sQ2xA',
      load: async () => (await import('./show.ts')).showCommand,
    },
    {
      name: 'rotate',
      description: 'replace a key by a new one; both are valid until the overlap ends',
      example: 'artist-gateway keys rotate 3fK9sQ2xA --overlap 7d --reason "yearly"',
      load: async () => (await import('./rotate.ts')).rotateCommand,
    },
    {
      name: 'revoke',
      description: 'revoke a key now; this cannot be undone',
      example: 'artist-gateway keys revoke 3fK9sQ2xA --reason "found in a public repository"',
      load: async () => (await import('./revoke.ts')).revokeCommand,
    },
    {
      name: 'set',
      description: 'change the partner, scopes, override or quota of a key (its form: "keys pin")',
      example: 'artist-gateway keys set 3fK9sQ2xA --per-hour 500 --reason "larger contract"',
      load: async () => (await import('./set.ts')).setCommand,
    },
    {
      name: 'pin',
      description: 'move a key to the other form, or back; its other settings stay',
      example: 'artist-gateway keys pin 3fK9sQ2xA --form current --reason "moved, ticket 77"',
      load: async () => (await import('./pin.ts')).pinCommand,
    },
    {
      name: 'sunset',
      description: 'announce when the variant form ends for a key (Deprecation, Sunset, Link), or withdraw that',
      example: 'artist-gateway keys sunset 3fK9sQ2xA --on 2027-06-30 --reason "contract 2026/14"',
      load: async () => (await import('./sunset.ts')).sunsetCommand,
    },
    {
      name: 'log',
      description: 'list every change of keys, organizations and quotas, newest last',
      example: 'artist-gateway keys log --organization acme',
      load: async () => (await import('./log.ts')).logCommand,
    },
  ],
};
