import { expect } from 'chai';
import fc from 'fast-check';
import type { Document } from 'mongodb';
import { keyIdIn } from '../../src/keys/key-format.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { runWarm } from '../support/cli/run.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';

const gatewayNow = '2026-08-22T12:00:00Z';
/** The clock of a command that ends access: it may be ahead, or years behind. */
const clocks = [gatewayNow, '2026-08-22T12:05:00Z', '2027-08-22T12:00:00Z', '2020-01-01T00:00:00Z'];

/** Commands about `K`, one of the keys. `!` ends access, `-` changes nothing. */
const commands = [
  'keys issue --organization acme --partner P --form current',
  'keys issue --organization acme --partner P --form variant --expires 365d',
  'keys issue --organization acme --partner P --form variant --scopes artists:read',
  'keys issue --organization none --partner P --form current',
  'keys set K --partner Q',
  'keys set K --per-hour 5 --allow-envelope-override',
  'keys set K --scopes artists:read',
  'keys sunset K --on 2999-01-01',
  'keys sunset K --on never',
  'keys pin K --form current',
  'keys pin K --form variant',
  'keys pin K --form current --for 1h',
  'keys pin K --back',
  'keys rotate K --overlap 1h',
  '! keys rotate K --overlap 0s',
  '! keys revoke K --yes',
  '- keys revoke K',
  '- keys set K --per-hour 0',
  'organizations set acme --per-minute 5',
  'organizations set acme --per-day 0 --yes',
  'organizations set other --name Other',
  '- organizations set third',
  '! organizations suspend acme --yes',
  '- organizations suspend acme',
  '- organizations suspend none --yes',
  'organizations resume acme',
] as const;

/** What a hand writes into a key, which gateways then keep as it was. */
const damages: readonly Document[] = [
  { sunset: 'soon' },
  { partner: 7 },
  { organization_id: null },
  { scopes: 'artists:read' },
  { created_at: 'once', revoked_at: null },
];

/** Every command and every damage, in any order, each about one of the first keys. */
const anySteps = fc
  .shuffledSubarray([...commands, ...damages], { minLength: commands.length + damages.length })
  .chain((all) =>
    fc
      .array(fc.nat(9), { minLength: all.length, maxLength: all.length })
      .map((keys) => all.map((step, index) => ({ step, key: keys[index] ?? 0 }))),
  );

type Steps = typeof anySteps extends fc.Arbitrary<infer Value> ? Value : never;

describe('any command for keys and organizations', () => {
  const operator = useOperatorEnvironment({ settings: { FIXED_NOW: gatewayNow } });

  const stored = async () => {
    const documents = new Map<string, Document>();
    for (const name of ['api_keys', 'organizations'])
      for (const document of await operator.collection(name).find({}).toArray())
        documents.set(document._id, document);
    return documents;
  };
  const log = () => operator.collection('key_log').find({}).toArray();

  /** The keys that the gateway serves after its next load. */
  const served = async ({ gateway, get }: TestGateway, texts: readonly string[]) => {
    await gateway.keys.refresh();
    const statuses = await Promise.all(
      texts.map(async (text) => (await get('/api/v1/artists?limit=1', text)).status),
    );
    return texts.filter((_text, index) => statuses[index] !== 401);
  };

  it('logs each change and nothing else, without secrets, and ends access as reported', async () => {
    const run = async (steps: Steps, clock: string) => {
      await operator.clear();
      await operator.done('organizations set acme --name Acme');
      const texts = [
        (await operator.issue('variant', '--per-hour', '7')).text,
        (await operator.issue('current')).text,
      ];
      const gateway = await createTestGateway({ keys: operator.database.keys });
      let servedBefore = await served(gateway, texts);
      expect(servedBefore).to.deep.equal(texts);
      for (const { step, key } of steps) {
        const text = texts[key % texts.length] ?? '';
        const id = keyIdIn(text) ?? '';
        if (typeof step !== 'string') {
          await operator.collection('api_keys').updateOne({ _id: id }, { $set: step });
          expect(await served(gateway, texts), JSON.stringify(step)).to.deep.equal(servedBefore);
          continue;
        }
        const words = step.replace(/^[!-] /, '').replace('K', id);
        const [before, logged] = [await stored(), await log()];
        const now = step.startsWith('!') ? clock : gatewayNow;
        const settings = { ...operator.settings, FIXED_NOW: now };
        const { code, stdout, stderr } = await runWarm(settings, [
          ...words.split(' '),
          '--reason',
          'test',
        ]);
        const after = await stored();
        const what = `${words} at ${now}: ${stderr}`;

        const known = new Set(logged.map(({ _id }) => String(_id)));
        const records = (await log()).filter(({ _id }) => !known.has(String(_id)));
        const changed = [...after].filter(
          ([key, document]) => JSON.stringify(document) !== JSON.stringify(before.get(key)),
        );
        expect(
          records.map((record) => record['key_id'] ?? record['organization_id']),
          what,
        ).to.have.members(changed.map(([key]) => key));
        for (const record of records) {
          expect(record['reason'], what).to.match(/test$/);
          const document = after.get(String(record['key_id'] ?? record['organization_id']));
          for (const [name, value] of Object.entries(Object(record['after'])))
            expect(document?.[name], `${what} ${name}`).to.deep.equal(value);
        }
        const isEnded = /is revoked: gateways refuse it|is suspended: gateways refuse/.test(stderr);
        if ((code !== 0 && !isEnded) || step.startsWith('-'))
          expect(changed, what).to.deep.equal([]);

        const made = /^keys (issue|rotate)/.test(words) && code === 0 ? [stdout.trim()] : [];
        const secrets = [
          ...texts,
          ...made,
          ...[...after.values()].flatMap((one) => one['hash'] ?? []),
        ];
        const output = `${made.length === 0 ? stdout : ''}${stderr}${JSON.stringify(records)}`;
        expect(
          secrets.filter((secret) => output.includes(secret)),
          what,
        ).to.deep.equal([]);

        const servedNow = await served(gateway, texts);
        const lost = servedBefore.filter((one) => !servedNow.includes(one));
        if (!step.startsWith('!')) expect(lost, what).to.deep.equal([]);
        else if (code === 0 || isEnded)
          expect(servedNow, what).to.not.include.members(/^org/.test(words) ? texts : [text]);
        texts.push(...made);
        servedBefore = await served(gateway, texts);
      }
      await gateway.close();
    };
    await fc.assert(fc.asyncProperty(anySteps, fc.constantFrom(...clocks), run), {
      numRuns: 5,
      endOnFailure: true,
    });
  }).timeout(120_000);
});
