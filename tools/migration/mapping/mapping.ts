import { behaviourRows } from './behaviour-rows.ts';
import { envelopeRows, errorRows, healthRows } from './envelope-rows.ts';
import { headerRows } from './header-rows.ts';
import { artistRows, signingRows, spikeRows } from './item-rows.ts';
import { problemRows } from './problem-rows.ts';
import { parameterRows, pathRows, quotaRows } from './request-rows.ts';

/**
 * The mapping: how every member, path, parameter, quota, problem and header of one form relates
 * to the other form. It is stated here once, in no code of the forms, and the forms are checked
 * against it.
 */
export const mapping = {
  members: {
    artist: artistRows,
    spike: spikeRows,
    signing: signingRows,
    envelope: envelopeRows,
    health: healthRows,
    error: errorRows,
  },
  paths: pathRows,
  parameters: parameterRows,
  quotas: quotaRows,
  problems: problemRows,
  headers: headerRows,
  behaviours: behaviourRows,
} as const;

export type Mapping = typeof mapping;
export type MemberTable = keyof Mapping['members'];

export const tableTitles = {
  envelope: 'the envelope',
  artist: 'an artist',
  spike: 'a spike',
  signing: 'a signing',
  error: 'an error',
} as const;
