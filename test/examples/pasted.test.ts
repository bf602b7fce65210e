import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { createReference, type Reference } from '../../adapters/reference/handler.ts';
import { operationsOf } from '../../adapters/reference/read-contract.ts';
import { addDays, dayOf } from '../../src/domain/day.ts';
import { clientsFolder } from '../../src/runtime/config.ts';
import { type ComparedForm, comparedForms } from '../../tools/crosswalk/forms.ts';
import { createManualClock } from '../support/clock.ts';
import { contractOf } from '../support/contract.ts';
import { type Outcome, runProgramFile } from '../support/examples/programs.ts';
import { keys } from '../support/forms/form-keys.ts';
import { numberedArtists } from '../support/forms/numbered-artists.ts';
import { createTestGateway, type TestGateway, useGateway } from '../support/gateway.ts';
import { referenceOptions, textOf } from '../support/reference.ts';
import { createTestSource } from '../support/source.ts';

/** The ending of a file with the code of a tab. */
const endings: Readonly<Record<string, string>> = { curl: 'sh', Python: 'py', TypeScript: 'ts' };

/** The tabs of each form, in the order of its chapters. */
const chapters = ['shortlist', 'poll', 'ask'] as const;

const endpointsOf = (name: ComparedForm) =>
  forms.flatMap((form) => (form.name === name ? operationsOf(contractOf(form)) : []));

const identifiers: Readonly<Record<ComparedForm, readonly string[]>> = {
  current: numberedArtists.map(({ id }) => id),
  variant: numberedArtists.slice(0, 200).map(({ documentId }) => documentId),
};

/** The identifiers in JSON, one or several texts below each other, or in lines of a client. */
const idsIn = (stdout: string): readonly string[] =>
  [...stdout.matchAll(/"id":\s*"((?:art|doc)_\d+)"|^((?:art|doc)_\d+)\t/gm)].map(
    ([, inJson, inLine]) => inJson ?? inLine ?? '',
  );

/**
 * A gateway whose pages have its own address, as those of a running one have, and whose days are
 * those of this machine, as for programs that ask for yesterday.
 */
const openGateway = async (): Promise<TestGateway> => {
  let reference: Reference | undefined;
  const clock = createManualClock(new Date().toISOString());
  const today = dayOf(clock.now());
  const artists = numberedArtists.map((artist, index) => ({
    ...artist,
    dateAdded: addDays(today, -index),
  }));
  const source = createTestSource({ artists });
  const gateway = await createTestGateway({
    clock,
    source,
    reference: (context) => reference?.handle(context),
  });
  const baseUrl = `http://127.0.0.1:${gateway.port}`;
  reference = createReference(forms, { ...referenceOptions, baseUrl, sandboxUrl: undefined });
  return gateway;
};

/** The code in a tab of a page. */
interface Tab {
  readonly form: string;
  readonly language: string;
  /** As a browser shows it. */
  readonly code: string;
}

/** All tabs of the page, in its order. */
const tabsIn = (page: string): readonly Tab[] =>
  page
    .split('<div class="form" id="')
    .slice(1)
    .flatMap((part) => {
      const form = part.slice(0, part.indexOf('"'));
      const tabs = part.matchAll(/<div class="tab" data-language="(\w+)">(.*?)<\/div><\/div>/gs);
      return [...tabs].map(([, language = '', tab = '']) => {
        const blocks = [...tab.matchAll(/<code>(.*?)<\/code>/gs)].map(([, block = '']) =>
          textOf(block),
        );
        return { form, language, code: blocks.reverse().join('\n\n') }; // as Copy joins them
      });
    });

describe('what a partner takes from the page', () => {
  const gateway = useGateway(openGateway);

  /**
   * Runs a program in a folder that has only that and its `library`, with nothing but a key in its
   * environment.
   */
  const runAlone = async (
    name: string,
    text: string,
    form: ComparedForm,
    parameters: readonly string[],
    until?: string,
    library?: readonly [name: string, text: string],
  ): Promise<Outcome> => {
    const folder = await mkdtemp(join(tmpdir(), 'artist-gateway-pasted-'));
    for (const [file, content] of [[name, text] as const, ...(library ? [library] : [])])
      await writeFile(join(folder, file), content);
    const env = { ARTIST_API_KEY: keys[form].full.text };
    const outcome = await runProgramFile(join(folder, name), parameters, {
      cwd: folder,
      env,
      ...(until && { until }),
    });
    await rm(folder, { recursive: true });
    return outcome;
  };

  const readTabs = async () => tabsIn((await gateway.send('/docs')).text);

  it('has a tab for curl, Python and TypeScript in three chapters and every endpoint of each form', async () => {
    const found = (await readTabs()).map(({ form, language }) => `${form} ${language}`);
    const expected = comparedForms.flatMap((form) =>
      [...chapters, ...endpointsOf(form)].flatMap(() =>
        Object.keys(endings).map((language) => `${form} ${language}`),
      ),
    );
    expect(found).to.deep.equal(expected);
  });

  it('calls curl in the tabs called curl', async () => {
    for (const { code } of (await readTabs()).filter(({ language }) => language === 'curl'))
      expect(code).to.include('curl -sS');
  });

  for (const form of comparedForms) {
    for (const [index, chapter] of chapters.entries()) {
      for (const [language, ending] of Object.entries(endings)) {
        it(`runs when the code of a tab is pasted alone: ${form} form, ${chapter}, ${language}`, async () => {
          const tabs = (await readTabs()).filter(
            (tab) => tab.form === form && tab.language === language,
          );
          const until = chapter === 'poll' ? ({ curl: '_000"' }[language] ?? '_000\t') : undefined;
          const outcome = await runAlone(`tab.${ending}`, tabs[index]?.code ?? '', form, [], until);
          const { stdout, errors, code } = outcome;
          // The list of the variant form is longer than an answer may be, and curl alone cannot ask
          // in parts.
          const isCut = form === 'variant' && chapter === 'shortlist' && language === 'curl';
          expect(code, errors.join(' / ')).to.equal(until === undefined ? Number(isCut) : null);
          const all = identifiers[form];
          const ids = [...new Set(idsIn(stdout))];
          if (chapter === 'shortlist') expect(ids).to.include.members([...all]);
          else if (chapter === 'ask') expect(ids).to.deep.equal(all.slice(0, 2));
          else expect(ids[0]).to.equal(all[0]);
        });
      }
    }

    for (const [language, ending] of Object.entries(endings)) {
      it(`runs the code of every endpoint with a downloaded client beside it: ${form} form, ${language}`, async () => {
        const tabs = (await readTabs()).filter(
          (tab) => tab.form === form && tab.language === language,
        );
        const name = `${form}.${ending}`;
        const library = [name, (await gateway.send(`/docs/clients/${name}`)).text] as const;
        for (const { code } of tabs.slice(chapters.length)) {
          const outcome = await runAlone(`tab.${ending}`, code, form, [], undefined, library);
          // The artist of the example is in no catalogue of the tests.
          const answer = outcome.stdout || outcome.errors.join();
          expect(answer, code).to.match(/^(404 )?\{"(data|success|status|error)"/);
        }
      });
    }

    for (const ending of ['py', 'ts', 'mjs', 'sh']) {
      it(`runs when a client is downloaded: ${form}.${ending}`, async () => {
        const address = `/docs/clients/${form}.${ending}`;
        expect(
          (await gateway.send('/docs')).text.includes(`href="${address}"`),
          'has a link',
        ).to.equal(true);
        const { status, text } = await gateway.send(address);
        expect(status).to.equal(200);
        expect(text)
          .to.include('SPDX-License-Identifier: MIT')
          .and.include(`${form}.${ending} shortlist`);
        const library =
          { py: `from ${form} import ask`, sh: '' }[ending] ??
          `import { ask } from './${form}.${ending}'`;
        expect(text).to.include(library);
        const name = `${form}.${ending}`;
        const { stdout, code, errors } = await runAlone(name, text, form, ['shortlist']);
        expect(code, errors.join(' / ')).to.equal(0);
        expect(idsIn(stdout)).to.deep.equal(identifiers[form]);
      });
    }
  }

  for (const program of readdirSync(clientsFolder)) {
    it(`has an address without a trace of where it is kept: ${program}`, async () => {
      const { status, text, headers } = await gateway.send(`/docs/clients/${program}`);
      expect([status, headers['content-type']]).to.deep.equal([200, 'text/plain; charset=utf-8']);
      expect(text).to.not.match(/\bclient\.(py|sh|ts|mjs)\b|127\.0\.0\.1:3000/);
    });
  }
});
