import { artistRows } from './crosswalk-artist.ts';
import { behaviourRows } from './crosswalk-behaviour.ts';
import { envelopeRows, errorRows, healthRows } from './crosswalk-envelope.ts';
import { headerRows } from './crosswalk-headers.ts';
import { problemRows } from './crosswalk-problems.ts';
import { parameterRows, pathRows, quotaRows } from './crosswalk-requests.ts';
import { signingRows, spikeRows } from './crosswalk-signals.ts';

/**
 * The crosswalk: how every member, path, parameter, quota, problem and header of one form stands to the other form. It is
 * stated here once, in no code of the forms, and the forms are checked against it.
 */
export const crosswalk = {
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

export type Crosswalk = typeof crosswalk;
export type MemberTable = keyof Crosswalk['members'];
