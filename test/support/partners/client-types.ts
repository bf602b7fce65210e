import type { z } from 'zod';
import type * as wire from '../../../adapters/forms/current/wire.ts';
import type {
  Artist,
  ListMeta,
  Signing,
  Song,
  Spike,
} from '../../../partners/client/artist-api.ts';

type Unpaired<Wire, Own> = Exclude<keyof Wire, keyof Own> | Exclude<keyof Own, keyof Wire>;

/** Both have the same members: else the compiler refuses `true`, and names the member and files. */
type Same<Wire, Own> = [Unpaired<Wire, Own>] extends [never]
  ? true
  : `${Unpaired<Wire, Own> & string} is not in both current/wire.ts and partners/client/artist-api.ts (npm run generate after a change)`;

/** As it is sent: what is unknown is absent. */
type Sent<Value> = Value extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : Value extends object
    ? { [name in keyof Value]: Sent<Exclude<Value[name], undefined>> }
    : Value;

/** What the contract says is what the types of the client say. */
export const sameTypes: readonly [
  Same<wire.ArtistWire, Artist>,
  Same<wire.SongWire, Song>,
  Same<wire.SpikeWire, Spike>,
  Same<wire.SigningWire, Signing>,
  Same<wire.ListMetaWire, ListMeta>,
] = [true, true, true, true, true];
export const readAsContract = (
  artist: Sent<z.infer<typeof wire.artistWire>>,
  spike: Sent<z.infer<typeof wire.spikeWire>>,
  signing: Sent<z.infer<typeof wire.signingWire>>,
): readonly [Artist, Spike, Signing] => [artist, spike, signing];
