import { gunzipSync } from 'node:zlib';
import { byForm, type ComparedForm } from '../../../src/crosswalk/forms.ts';
import { type Json, parseJson, textAt } from '../../../src/crosswalk/json.ts';
import { pathRowOf } from '../../../src/crosswalk/request-rows.ts';
import type { Artist, Series } from '../../../src/domain/model.ts';
import { artist, series } from '../../stores/documents/catalogue-members.ts';
import { type ComparisonCase, sideOf } from '../cases/cases.ts';
import { itemsIn, type SideResponse } from '../cases/send-request.ts';
import { type ComparisonKnowledge, compareResponses } from '../checks/comparison.ts';
import type { ItemComparison } from '../checks/items.ts';
import { violation } from '../checks/members.ts';
import { createIdPairs } from '../checks/pairing.ts';
import { readStoredCatalogue } from '../checks/stored-documents.ts';
import { type DifferenceGroup, groupDifferences } from '../differences.ts';
import { addRound, emptyResult } from '../results.ts';
import type { ShadowJob } from './job.ts';

/** A cause of differences in one answer. It holds identifiers and member paths, no values. */
export interface JudgedCause {
  /** The id of the row of the crosswalk; `undefined` for a violation that no row is about. */
  readonly row: string | undefined;
  /** The violation, without values. */
  readonly violation: string;
  readonly items: number;
  /** Paths of the members in the first item that shows it. */
  readonly current: string | undefined;
  readonly variant: string | undefined;
  /** Stable identifiers of some of the artists that show it. */
  readonly artists: readonly string[];
}

export interface Judgement {
  readonly causes: readonly JudgedCause[];
  /** Milliseconds of work in the worker thread. */
  readonly ms: number;
}

/** Maximum number of artists named for one cause. */
const maxArtists = 3;

/** An artist of the answer, and its series if they were answered. */
interface AnsweredArtist {
  readonly artist: Artist;
  readonly series?: readonly Series[];
}

const asJson = (document: unknown): Json => parseJson(JSON.stringify(document)) ?? null;

/** The artists of a job as documents, in the order of the answer. */
const readArtists = (artists: readonly string[]) => {
  const answered = artists.map((text): AnsweredArtist => JSON.parse(text)); // the job says what they are
  return {
    artists: answered.map((one) => asJson(artist.toStored(one.artist))),
    series: answered.flatMap((one) => (one.series ?? []).map((each) => asJson(series.toStored(each)))),
  };
};

const itemKinds = { artist: 'artists', spike: 'spikes', signing: 'signings' } as const;

const caseOf = ({ requests, history, basic }: ShadowJob): ComparisonCase => {
  const path = requests.current.replace('/api/v1', '');
  const table = pathRowOf('current', path)?.items;
  return {
    name: 'shadow',
    asks: 'The same question in the other form',
    items: table === undefined ? 'nothing' : itemKinds[table],
    ...byForm((form) => sideOf(requests[form])),
    key: 'full',
    history,
    basic,
    detail: /^\/artists\/./.test(path),
  };
};

const textOf = ({ texts, served, compressed }: ShadowJob, form: ComparedForm): string => {
  const text = texts[form];
  if (typeof text === 'string') return text;
  return Buffer.from(form === served && compressed ? gunzipSync(text) : text).toString();
};

const responseOf = (job: ShadowJob, form: ComparedForm): SideResponse => {
  const text = textOf(job, form);
  const body = parseJson(text);
  return {
    path: job.requests[form],
    replies: [{ status: 200, headers: {}, text }],
    bodies: [body],
    limit: job.limit,
    items: itemsIn(body),
    truncated: false,
  };
};

/** The current form's body names the request that the header names. */
const requestIdBlock = ({ requestId }: ShadowJob, { bodies }: SideResponse): ItemComparison['blocks'] => {
  const shown = textAt(bodies[0], 'meta.request_id');
  if (shown === requestId) return [];
  const line = violation('The request id of the body is that of the header.', 'They differ.', 'header.X-Request-Id');
  return [{ title: 'Response', lines: [line] }];
};

const toJudged = ({ row, violation: text, items, found }: DifferenceGroup, answered: readonly Json[]): JudgedCause => {
  const indexes = found.map(({ block, line }) => /items\[(\d+)\]/.exec(`${block} ${line.unexpected}`)?.[1]);
  const ids = indexes
    .map((index) => answered[Number(index ?? -1)])
    .map((item) => textAt(item, 'id') ?? textAt(item, 'artist_id'));
  return {
    row,
    violation: text,
    items,
    current: found[0].line.current?.path,
    variant: found[0].line.variant?.path,
    artists: [...new Set(ids.filter((id) => id !== undefined))].slice(0, maxArtists),
  };
};

/** Judges one answer in both forms by the crosswalk, by the invariants of each form and by the artists it was made of. */
export const judge = (job: ShadowJob): readonly JudgedCause[] => {
  const comparisonCase = caseOf(job);
  const responses = byForm((form) => responseOf(job, form));
  const stored = readArtists(job.artists);
  const scopes = new Set(job.scopes);
  const pairs = stored.artists.map((document) => ({
    current: textAt(document, 'id') ?? '',
    variant: textAt(document, '_id') ?? '',
  }));
  const knowledge: ComparisonKnowledge = {
    hasFixedClock: true,
    headers: undefined,
    hasScope: () => (scope) => scopes.has(scope),
    partner: job.partner,
    idPairs: createIdPairs(pairs),
    stored: comparisonCase.items === 'artists' ? readStoredCatalogue(stored) : undefined,
  };
  const compared = compareResponses(comparisonCase, responses, knowledge);
  const comparison = { ...compared, blocks: [...compared.blocks, ...requestIdBlock(job, responses.current)] };
  const result = addRound(emptyResult(comparisonCase), responses, comparison);
  return groupDifferences([result]).map((cause) => toJudged(cause, responses.current.items));
};
