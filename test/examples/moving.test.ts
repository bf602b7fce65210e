import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { z } from 'zod';
import { readCases } from '../../adapters/compare/cases/cases.ts';
import { variantForm } from '../../adapters/forms/variant/form.ts';
import { operationsOf } from '../../adapters/reference/read-contract.ts';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { notDerived } from '../../examples/moving/moving.ts';
import { crosswalk } from '../../src/crosswalk/crosswalk.ts';
import type { ErrorMapping } from '../../src/crosswalk/rows.ts';
import type { ProblemKind } from '../../src/domain/problem.ts';
import { casesFolder, fixtureFolder } from '../../src/runtime/config.ts';
import { useStarted } from '../support/cleanup.ts';
import { createManualClock } from '../support/clock.ts';
import { contractOf, isJson } from '../support/contract.ts';
import { openLocalServer } from '../support/examples/local-server.ts';
import { type Mover, type MovingQuestion, movers, withoutMessage } from '../support/examples/moving.ts';
import { demoKeyText, openSandbox, readExchange } from '../support/exchanges.ts';
import { createChangingShortlist } from '../support/forms/changing-shortlist.ts';
import { keys } from '../support/forms/form-keys.ts';
import { numberedArtists, openNumberedGateway } from '../support/forms/numbered-artists.ts';
import { variantQuestions } from '../support/forms/random-questions.ts';
import { askVariant, countsText, naming, openRun, questionKeySource } from '../support/forms/random-run.ts';
import { createTestGateway, type TestGateway, useGateway } from '../support/gateway.ts';
import { createDocumentFolder } from '../support/stores/document-folder.ts';

const questions = Number(process.env['RANDOM_QUESTIONS'] ?? 400);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

/** The variant form's errors for problems that it does not have: a spent quota, and faults of the program that asks. */
const instead: Readonly<Partial<Record<ProblemKind, ErrorMapping>>> = {
  'invalid-parameter': { status: 500, code: 'server_error' },
  'invalid-cursor': { status: 500, code: 'server_error' },
  'day-spent': { status: 429, code: 'rate_limited' },
};

/** The example of a parameter in the contract of the variant form. */
const exampleOf = (path: string, name: string): unknown =>
  operationsOf(contractOf(variantForm))
    .find((operation) => operation.path === `/api/v1${path}`)
    ?.parameters.find((parameter) => parameter.name === name)?.example;

const artists = z
  .array(z.object({ _id: z.string(), id: z.string() }))
  .parse(JSON.parse(readFileSync(join(fixtureFolder, 'artists.json'), 'utf8')));
const signings = z.object({ _meta: z.object({ labels_tracked: z.array(z.string()) }) });

/** What no answer of the current form has, of the example catalogue. */
const fixtureGiven = {
  documentIds: Object.fromEntries(artists.map(({ id, _id }) => [id, _id])),
  labelsTracked: signings.parse(readExchange('variant', 'signings').body)._meta.labels_tracked,
};

const hostOf = ({ port }: TestGateway): string => `127.0.0.1:${port}`;

/** The members that differ between two answers, with `[]` for every place in a list. */
const differing = (one: unknown, other: unknown, path = ''): readonly string[] => {
  if (Array.isArray(one) && Array.isArray(other))
    return one.flatMap((item, index) => differing(item, other[index], `${path}[]`));
  if (!isJson(one) || !isJson(other)) return one === other ? [] : [path];
  const names = Object.keys({ ...one, ...other });
  return names.flatMap((name) => differing(one[name], other[name], path === '' ? name : `${path}.${name}`));
};

/** Asks both forms every question while the shortlist changes, and counts the answers by status. */
const compareRandomly = async (mover: Mover): Promise<ReadonlyMap<string, number>> => {
  const clock = createManualClock();
  const folder = await createDocumentFolder();
  const source = createEmbeddedCatalogue({ folder: folder.path, clock, rebaseToToday: false });
  const changes = createChangingShortlist('2026-08-22', seed, Math.ceil(questions / 10));
  await folder.write({ ...changes.now() });
  const run = openRun(await createTestGateway({ source, clock, keys: questionKeySource }));
  for (const [index, question] of fc.sample(variantQuestions, { seed, numRuns: questions }).entries()) {
    const shortlist = index % 10 === 0 ? changes.change() : changes.now();
    if (index % 10 === 0) {
      await folder.write({ ...shortlist });
      await run.gateway.gateway.catalogue.refresh();
    }
    await naming(`question ${index} of FUZZ_SEED=${seed}`, question, askVariant(run, mover, question, shortlist));
  }
  await run.gateway.close();
  await folder.close();
  return run.counts;
};

for (const [language, open] of Object.entries(movers)) {
  describe(`the variant form made from the current form (${language})`, () => {
    const demo = useGateway(openSandbox);
    const numbered = useGateway(openNumberedGateway);
    const mover = useStarted(open, ({ close }) => close());

    /** Expects the answer that the variant form gives to the same request over the example catalogue; returns its text. */
    const expectSame = async (target: string, why = target): Promise<string> => {
      const expected = await demo.send(target, await demoKeyText('qaVariant'));
      const key = await demoKeyText('qaCurrent');
      const partner = 'Quality Assurance (variant, no tight quota)';
      const answer = await mover.ask({ host: hostOf(demo), key, target, ...fixtureGiven, partner });
      expect(withoutMessage(answer), why).to.deep.equal(withoutMessage(expected));
      return expected.text;
    };

    it(`equals its answers to random questions while the shortlist changes (FUZZ_SEED=${seed})`, async function () {
      this.timeout(120_000 + questions * 50);
      const counts = await compareRandomly(mover);
      console.log(`      ${countsText(counts)}`);
      expect([...counts.keys()]).to.include.members(['variant 200', 'variant 404']);
    });

    for (const target of [
      ...['', '?limit=1', '?limit=99', '?limit=100', '?limit=101', '?limit=199', '?limit=200', '?limit=201'],
      ...['?new=0', '?new=1&limit=2', '?new=89&limit=200', '?new=150&limit=200', '?new=150&tier=breaking'],
      ...['?signed=true&limit=5', '?signed=true&limit=200', '?signed=FALSE&limit=120', '?tier=watch&limit=200'],
    ]) {
      it(`joins pages of 250 artists for /artists${target}`, async () => {
        const path = `/api/v1/artists${target}`;
        const expected = await numbered.send(path, keys.variant.full.text);
        const documentIds = Object.fromEntries(numberedArtists.map(({ id, documentId }) => [id, documentId]));
        const { partner } = keys.variant.full.record;
        const key = keys.current.full.text;
        const answer = await mover.ask({
          host: hostOf(numbered),
          key,
          target: path,
          documentIds,
          labelsTracked: [],
          partner,
        });
        expect([answer.status, answer.text]).to.deep.equal([200, expected.text]);
      });
    }

    it('has every path of the crosswalk', async () => {
      for (const { current, variant } of crosswalk.paths) {
        await expectSame(`/api/v1${variant ?? current?.replace('{id}', 'art_7rf1ly')}`);
      }
    });

    it('has every parameter of the variant form in the crosswalk', async () => {
      for (const { variant } of crosswalk.parameters) {
        if (variant === undefined) continue;
        const { path, name } = variant;
        const query = `${name}=${encodeURIComponent(String(exampleOf(path, name)))}`;
        const without = await expectSame(`/api/v1${path}`);
        const text = await expectSame(`/api/v1${path}?${query}`, `src/crosswalk/request-rows.ts: ${path} ${name}`);
        expect(JSON.parse(text).data, `${query} makes no difference`).to.not.deep.equal(JSON.parse(without).data);
      }
    });

    it('has every behaviour of the crosswalk', async () => {
      const cases = new Map((await readCases(casesFolder)).map((one) => [one.name, one]));
      for (const { about, cases: names } of crosswalk.behaviours) {
        const targets = names.map((name) => cases.get(name)?.variant.ask ?? '').filter((ask) => !ask.includes('{'));
        for (const target of targets) await expectSame(`/api/v1${target}`, `${about}: ${target}`);
      }
    });

    it('differs only where the list of what is not derived says so, when all that is given differs', async () => {
      const key = await demoKeyText('qaCurrent');
      const found = new Set(['message']);
      for (const path of ['artists', 'spikes', 'signings']) {
        const ask = async (given: Pick<MovingQuestion, 'documentIds' | 'labelsTracked' | 'partner'>) =>
          JSON.parse((await mover.ask({ host: hostOf(demo), key, target: `/api/v1/${path}`, ...given })).text);
        const answer = await ask({ ...fixtureGiven, labelsTracked: ['a label'], partner: 'a partner' });
        demo.clock.advance(1000);
        const other = await ask({ documentIds: {}, labelsTracked: ['another label'], partner: 'another partner' });
        for (const member of differing(answer, other)) found.add(member);
      }
      expect([...found]).to.have.members([...notDerived]);
    });

    it('has every problem of the crosswalk', async () => {
      for (const { problem, current, variant } of crosswalk.problems) {
        if (current === undefined) continue;
        const body = { error: { code: current.code, message: 'Why.', request_id: 'x' } };
        const { host, close } = await openLocalServer((_request, response) =>
          response.writeHead(current.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body)),
        );
        const asked = { ...fixtureGiven, host, key: 'x', partner: 'x', target: '/api/v1/signings' };
        const { status, text } = await mover.ask(asked);
        close();
        const expected = variant ?? instead[problem];
        const error = { error: expected?.code, message: 'Why.' };
        expect([status, JSON.parse(text)], problem).to.deep.equal([expected?.status, error]);
      }
    });
  });
}
