import { variantForm } from '../../adapters/forms/variant/form.ts';
import { dayMs, hourMs, minuteMs } from '../../src/domain/time.ts';
import type { Clock, Log } from '../../src/ports.ts';
import { version } from '../../src/runtime/config.ts';
import { type Service, SettingError } from '../shared/http.ts';
import { openRecord } from './calls.ts';
import type { Given } from './given.ts';
import { openLocal } from './local.ts';
import { askOf, createRemoteCatalogue } from './remote-catalogue.ts';
import { fieldsNamed, withoutFields } from './without.ts';

export interface ServeOptions {
  readonly service: Service;
  readonly given: Given;
  readonly partner: string;
  readonly host: string;
  readonly port: number;
  /** Fields left out of responses. */
  readonly without: readonly string[];
  /** The file for requested paths. */
  readonly record: string | undefined;
  readonly clock: Clock;
}

const intervalMs = minuteMs;
/** The first pause after a failure before the first load. It doubles up to the interval. */
const firstPauseMs = 5_000;

/** Reports faults of the data, each once in a row. */
const logTo = (tell: (text: string) => void): Log => {
  let last = '';
  const write = (facts: object, event: string): void => {
    const { err, reason }: { readonly err?: Error; readonly reason?: string } = facts;
    const line = `${event}: ${err?.message ?? reason ?? ''}`;
    if (line !== last) tell(line);
    last = line;
  };
  return { info() {}, warn: write, error: write };
};

/** Returns true at most once per period. */
const createLimit = (clock: Clock, periodMs: number) => {
  let next = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock.elapsed() < next) return false;
    next = clock.elapsed() + periodMs;
    return true;
  };
};

/**
 * Listens. `refresh` reads the service, and resolves with the milliseconds until its next call. It
 * rejects if no load can succeed with these settings.
 */
export const openServing = async (options: ServeOptions) => {
  const { service, given, partner, host, port, without, record, clock } = options;
  const tell = service.notice;
  const mayTellProgress = createLimit(clock, minuteMs / 2);
  mayTellProgress(); // a short load needs no line
  const catalogue = createRemoteCatalogue({
    ...given,
    ask: askOf(service),
    service,
    clock,
    progress(artists) {
      if (hasLoaded || !mayTellProgress()) return;
      const about = `${artists} of about ${given.documentIds.size} artists`;
      tell(`Read ${about}, within the quota. Programs get 500 until the list is complete.`);
    },
  });
  let hasLoaded = false;
  let failures = 0;
  let mayTellFailure = createLimit(clock, hourMs);
  const local = await openLocal({
    catalogue,
    partner,
    form: withoutFields(variantForm, new Set(without.flatMap(fieldsNamed))),
    host,
    port,
    log: logTo(tell),
    ...(record !== undefined && {
      record: openRecord(record, (text) => service.tellOnce('record', text)),
    }),
  }).catch((failure: NodeJS.ErrnoException) => {
    if (!('code' in failure)) throw failure;
    throw new SettingError(`Cannot serve at --host ${host} --port ${port}: ${failure.message}.`);
  });

  const succeed = (): void => {
    if (failures > 0 && hasLoaded) tell(`${service.url} is read again.`);
    failures = 0;
    mayTellFailure = createLimit(clock, hourMs);
    hasLoaded = true;
    const listed = local.gateway.catalogue.value()?.snapshot.listed ?? [];
    const lacking = listed.find(({ artist }) => !given.documentIds.has(artist.id));
    if (lacking !== undefined) {
      const what = `which is served with its identifier of the current form: ask for a new list`;
      service.tellOnce('ids', `ids.csv lacks ${lacking.artist.id}, ${what}.`);
    }
  };

  const fail = (failure: Error): void => {
    failures += 1;
    if (!mayTellFailure()) return;
    const copy = hasLoaded ? 'Its last list is served for at most 24 hours.' : 'Programs get 500.';
    const until = catalogue.access().isRejected ? 'Programs get 401.' : copy;
    tell(`${failure.message.replace(/\.?$/, '.')} ${until}`);
  };

  return {
    ...local,
    async refresh(): Promise<number> {
      try {
        await local.refresh();
        succeed();
        return intervalMs * (1 - Math.random() * 0.1);
      } catch (failure) {
        if (!(failure instanceof Error) || (failure instanceof SettingError && !hasLoaded))
          throw failure;
        fail(failure);
        return hasLoaded ? intervalMs : Math.min(intervalMs, firstPauseMs * 2 ** (failures - 1));
      }
    },
    hasLoaded: () => hasLoaded,
  };
};

/** Reports a newer version of this program at the service. */
const tellVersion = async (service: Service): Promise<void> => {
  const url = `${service.url}/docs/clients/artist-gateway.mjs`;
  const { body } = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(10_000) });
  if (body === null) return;
  let text = '';
  for await (const chunk of body) {
    text += Buffer.from(chunk).toString('latin1');
    if (text.length > 200) break;
  }
  const [, theirs = version] = /^\/\/ artist-gateway (\d+\.\d+\.\d+)/m.exec(text) ?? [];
  if (theirs.localeCompare(version, 'en', { numeric: true }) > 0)
    service.tellOnce('version', `This is version ${version}. Version ${theirs} is at ${url}`);
};

/** Serves until Ctrl-C. */
export const serve = async (options: ServeOptions): Promise<void> => {
  const { service, clock } = options;
  const serving = await openServing(options);
  process.once('SIGINT', () => process.exit());
  const mayAskVersion = createLimit(clock, dayMs);
  const mayAnnounce = createLimit(clock, Number.POSITIVE_INFINITY);
  for (;;) {
    const pauseMs = await serving.refresh();
    if (serving.hasLoaded()) {
      if (mayAskVersion()) tellVersion(service).catch(() => {}); // no news
      if (mayAnnounce()) console.log(`${serving.url} serves the variant form from ${service.url}`);
    }
    await service.sleep(pauseMs / 1_000);
  }
};
