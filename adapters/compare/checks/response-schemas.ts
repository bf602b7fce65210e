import type { z } from 'zod';
import type { Json } from '../../../src/crosswalk/json.ts';
import type { FormName } from '../../../src/domain/caller.ts';
import * as current from '../../forms/current/wire.ts';
import * as variant from '../../forms/variant/wire.ts';

/** What a body can be. */
export type Shape = 'artists' | 'artist' | 'spikes' | 'signings' | 'health' | 'error';

/** The wire schemas that bodies are held against. */
export const responseSchemas: Readonly<Record<FormName, Readonly<Record<Shape, z.ZodType>>>> = {
  current: {
    artists: current.artistListWire,
    artist: current.artistDetailWire,
    spikes: current.spikeListWire,
    signings: current.signingListWire,
    health: current.healthWire,
    error: current.errorWire,
  },
  variant: {
    artists: variant.artistListWire,
    artist: variant.artistListWire,
    spikes: variant.spikeListWire,
    signings: variant.signingListWire,
    health: variant.healthWire,
    error: variant.errorWire,
  },
};

/** Everything about a body that its schema does not allow, as `path: what is wrong`. */
export const schemaErrors = (form: FormName, shape: Shape, body: Json | undefined): readonly string[] => {
  const result = responseSchemas[form][shape].safeParse(body);
  if (result.success) return [];
  return result.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
};
