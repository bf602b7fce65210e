import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import type { ReferenceHandler } from '../../adapters/http/app.ts';
import { createReference } from '../../adapters/reference/handler.ts';
import { readSite } from '../../adapters/reference/site-files.ts';
import { addDays, dayOf } from '../../src/domain/day.ts';
import { version } from '../../src/runtime/config.ts';
import { siteFolder } from '../../src/runtime/folders.ts';
import { createManualClock } from '../support/clock.ts';
import { keys } from '../support/forms/form-keys.ts';
import { numberedArtists } from '../support/forms/numbered-artists.ts';
import { createTestGateway, type TestGateway, useGateway } from '../support/gateway.ts';
import { clientsFolder, type Outcome, runProgramFile } from '../support/partners/programs.ts';
import { siteValues, textOf } from '../support/reference.ts';
import { createTestSource } from '../support/source.ts';

/** The ending of a file with the code of a tab; TypeScript with `EXAMPLE_RUNS=all` only. */
const endings: Readonly<Record<string, string>> = {
  ...{ curl: 'sh', Python: 'py' },
  ...(process.env['EXAMPLE_RUNS'] === 'all' && { TypeScript: 'mts' }),
};

/** The tabs of each form, in the order of its chapters. */
const chapters = ['shortlist', 'poll', 'ask'] as const;

const identifiers = numberedArtists.map(({ id }) => id);

/** A gateway whose pages have its own address, on the day of this machine. */
const openGateway = async (): Promise<TestGateway> => {
  let reference: ReferenceHandler | undefined;
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
    reference: (context) => reference?.(context),
  });
  const baseUrl = `http://127.0.0.1:${gateway.port}`;
  const values = { ...siteValues, baseUrl, sandboxUrl: undefined };
  reference = createReference(forms, readSite(siteFolder), values);
  return gateway;
};

/** The code in a tab of a page. */
interface Tab {
  readonly language: string;
  /** As a browser shows it. */
  readonly code: string;
}

/** All tabs of a page, in its order. */
const tabsIn = (page: string): readonly Tab[] =>
  [...page.matchAll(/<div class="tab" data-language="(\w+)">(.*?)<\/div><\/div>/gs)].map(
    ([, language = '', tab = '']) => {
      const blocks = [...tab.matchAll(/<code>(.*?)<\/code>/gs)].map(([, block = '']) =>
        textOf(block),
      );
      return { language, code: blocks.reverse().join('\n\n') }; // as Copy joins them
    },
  );

describe('what a partner takes from the page', () => {
  const gateway = useGateway(openGateway);

  /** The files of the client by the ending of a program that imports them. */
  const library: Readonly<Record<string, string>> = {
    py: 'artist_api.py',
    mts: 'artist-api.ts',
    mjs: 'artist-api.mjs',
  };

  /**
   * Runs a program in a folder that has only that and the client that it imports, with nothing but
   * a key in its environment.
   */
  const runAlone = async (
    name: string,
    text: string,
    parameters: readonly string[] = [],
    until?: string,
  ): Promise<Outcome> => {
    const folder = await mkdtemp(join(tmpdir(), 'artist-gateway-pasted-'));
    await writeFile(join(folder, name), text);
    const client = library[name.slice(name.indexOf('.') + 1)];
    if (client !== undefined && client !== name)
      await writeFile(join(folder, client), (await gateway.send(`/docs/clients/${client}`)).text);
    const outcome = await runProgramFile(join(folder, name), parameters, {
      cwd: folder,
      env: { ARTIST_API_KEY: keys.current.full.text },
      ...(until && { until }),
    });
    await rm(folder, { recursive: true });
    return outcome;
  };

  const tabsOf = async (page: string, language?: string): Promise<readonly Tab[]> =>
    tabsIn((await gateway.send(page)).text).filter(
      (tab) => language === undefined || tab.language === language,
    );
  const endpointPages = ['artists', 'artist', 'added', 'spikes', 'signings', 'health'].map(
    (name) => `/docs/endpoints/${name}`,
  );

  it('has tabs for shells, and for Python and TypeScript in the current form', async () => {
    const languagesOn = async (page: string) =>
      (await tabsOf(page)).map(({ language }) => language);
    const client = ['Python', 'TypeScript'];
    expect(await languagesOn('/docs')).to.deep.equal(['curl', 'PowerShell']);
    expect(await languagesOn('/docs/guides')).to.deep.equal(
      chapters.flatMap(() => ['curl', ...client]),
    );
    for (const page of endpointPages)
      expect(await languagesOn(page), page).to.deep.equal(['curl', 'PowerShell', ...client]);
    expect(await languagesOn('/docs/variant/endpoints/spikes')).to.deep.equal([
      'curl',
      'PowerShell',
    ]);
  });

  for (const [language, ending] of Object.entries(endings)) {
    for (const [index, chapter] of chapters.entries()) {
      it(`runs the code of ${chapter} next to the client, ${language}`, async () => {
        const until =
          chapter === 'poll'
            ? ({ curl: '_000"', TypeScript: '_000 ' }[language] ?? '_000\t')
            : undefined;
        const code = (await tabsOf('/docs/guides', language))[index]?.code ?? '';
        const outcome = await runAlone(`tab.${ending}`, code, [], until);
        const { stdout, errors } = outcome;
        expect(outcome.code, errors.join(' / ')).to.equal(until === undefined ? 0 : null);
        const ids = [...new Set(stdout.match(/\bart_\d+\b/g))];
        if (chapter === 'shortlist') expect(ids).to.have.members(identifiers);
        else if (chapter === 'ask') expect(ids).to.deep.equal(identifiers.slice(0, 2));
        else expect(ids[0]).to.equal(identifiers[0]);
      });
    }

    it(`runs the code of every endpoint, ${language}`, async () => {
      for (const page of endpointPages) {
        const [{ code } = { code: '' }] = await tabsOf(page, language);
        const outcome = await runAlone(`tab.${ending}`, code);
        // The artist of the example is in no catalogue of the tests.
        const expected = page.endsWith('/artist') ? /404|not_found/ : /^$/;
        expect(outcome.errors.join() + (outcome.code === 0 ? '' : outcome.stdout), code).to.match(
          expected,
        );
      }
    });
  }

  it('runs the code of a TypeScript tab as JavaScript', async () => {
    const [, , ask] = await tabsOf('/docs/guides', 'TypeScript');
    const code = ask?.code.replace('./artist-api.ts', './artist-api.mjs');
    const { stdout } = await runAlone('tab.mjs', code ?? '');
    expect([...new Set(stdout.match(/\bart_\d+\b/g))]).to.deep.equal(identifiers.slice(0, 2));
  });

  it('runs the route of a web application, which caches for a minute', async () => {
    const [, code = ''] =
      /^```javascript\n(.*?)\n```$/ms.exec((await gateway.send('/docs/guides.md')).text) ?? [];
    // requests itself twice once it listens, and stops
    const visit = `server.on('listening', async () => {
      for (const visit of [1, 2])
        console.log(await (await fetch('http://127.0.0.1:' + server.address().port)).text());
      server.close();
      server.closeAllConnections();
    });`;
    const before = gateway.log.entries.length;
    const listening = code.replace('process.env.PORT ?? 8080', "0, '127.0.0.1'");
    const { stdout, errors } = await runAlone('route.mjs', `${listening}\n${visit}`);
    expect(errors).to.deep.equal([]);
    const [first, second] = stdout.trim().split('\n');
    expect(first).to.equal(second).and.include(identifiers[0]);
    expect(gateway.log.entries.length - before).to.equal(2); // with that for the client next to it
  });

  it('links to clients that run alone, with the version of the gateway', async () => {
    const { text: page } = await gateway.send('/docs/tools');
    for (const file of Object.values(library)) {
      expect(page).to.include(`href="/docs/clients/${file}"`);
      const { text } = await gateway.send(`/docs/clients/${file}`);
      expect(text).to.include('SPDX-License-Identifier: MIT').and.include(`${file} list`);
      expect(text).to.match(new RegExp(`version = ["']${version}["']`, 'i'));
      const { stdout, code, errors } = await runAlone(file, text, ['list']);
      expect(code, errors.join(' / ')).to.equal(0);
      const lines = stdout.split('\n').slice(0, -1);
      expect(lines.map((line) => line.split('\t')[0])).to.deep.equal(identifiers);
    }
  });

  it('serves every program as text, without a trace of its source', async () => {
    for (const program of readdirSync(clientsFolder)) {
      const { status, text, headers } = await gateway.send(`/docs/clients/${program}`);
      expect([status, headers['content-type']]).to.deep.equal([200, 'text/plain; charset=utf-8']);
      expect(text).to.not.match(/\bclient\.(py|sh|ts|mjs)\b|127\.0\.0\.1:3000/);
    }
  });
});
