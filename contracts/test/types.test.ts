import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A client's source, at whose `|` an editor is asked what may follow. */
const clients: readonly (readonly [tool: string, source: string])[] = [
  [
    'openapi-typescript',
    `import type { components } from './generated/current.ts'; type A = components['schemas']['Artist'];`,
  ],
  ['hey-api', `import type { Artist as A } from './generated/hey-api/types.gen.ts';`],
];

const uses = {
  metrics: `export const read = (artist: A) => artist.metrics.|;`,
  links: `export const read = (artist: A) => artist.links.|;`,
  status: `export const read = (artist: A) => artist.status.|;`,
};

const expected = {
  metrics: [
    'spotify_streams',
    'monthly_listeners',
    'tiktok_followers',
    'instagram_followers',
    'social_score',
  ],
  links: ['spotify', 'tiktok', 'instagram', 'youtube', 'website'],
  status: ['active', 'verified', 'shortlisted', 'claimed'],
};

/** Values that the contract does not know yet, which a client must be able to read. */
const open = `export const later = (artist: A): [string | undefined, number | undefined, boolean | undefined] =>
  [artist.tier satisfies string | undefined, artist.metrics['later'], artist.status['later']];
export const stored: Pick<A, 'tier' | 'metrics' | 'links'> = { tier: 'legendary', metrics: { later: 1 }, links: { later: '' } };`;

const file = `${root}client-of-a-test.ts`;

const serviceFor = (source: string): ts.LanguageService =>
  ts.createLanguageService({
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) =>
      name === file
        ? ts.ScriptSnapshot.fromString(source)
        : ts.sys.fileExists(name)
          ? ts.ScriptSnapshot.fromString(readFileSync(name, 'utf8'))
          : undefined,
    getCurrentDirectory: () => root,
    getCompilationSettings: () => ({
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
    }),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
  });

const completionsOf = (source: string): readonly string[] => {
  const completions = serviceFor(source.replace('|', '')).getCompletionsAtPosition(
    file,
    source.indexOf('|'),
    {},
  );
  return completions?.entries.map(({ name }) => name) ?? [];
};

describe('types generated from the contract', () => {
  for (const [tool, start] of clients) {
    it(`complete known metrics, links and flags (${tool})`, () => {
      for (const [member, use] of Object.entries(uses)) {
        // `uses` and `expected` have the same keys
        const names = expected[member as keyof typeof expected];
        expect(completionsOf(`${start}\n${use}`), member).to.include.members(names);
      }
    });

    it(`accept tiers and metrics that are added later (${tool})`, () => {
      const service = serviceFor(`${start}\n${open}`);
      const errors = [
        ...service.getSyntacticDiagnostics(file),
        ...service.getSemanticDiagnostics(file),
      ];
      expect(errors.map(({ messageText }) => messageText)).to.deep.equal([]);
    });
  }

  it('parse tiers that are added later (openapi-zod-client)', async () => {
    const { schemas } = await import('../generated/zod.ts');
    expect(schemas.Artist.shape.tier.parse('legendary')).to.equal('legendary');
  });
});
