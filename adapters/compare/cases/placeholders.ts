import type { FormName } from '../../../src/domain/caller.ts';
import { addDays, type Day } from '../../../src/domain/day.ts';

/** An artist as both forms identify it. */
export interface KnownArtist {
  readonly current: string;
  readonly variant: string;
  readonly name: string;
  readonly tier: string | undefined;
}

/** What placeholders in a case stand for. */
export interface Focus {
  readonly today: Day;
  /** The artist that the placeholders mean; `undefined` where no artist is known. */
  readonly artist: KnownArtist | undefined;
}

const otherForm: Readonly<Record<FormName, FormName>> = { current: 'variant', variant: 'current' };

/** Puts an artist's members and days in place of `{…}`. */
export const fillPlaceholders = (
  text: string,
  form: FormName,
  { today, artist }: Focus,
  encode: (value: string) => string,
): string =>
  text.replace(
    /\{(id|other-id|name|NAME|small-name|tier|today(?:-(\d+))?)\}/g,
    (_match, name: string, back: string | undefined) => {
      const members: Readonly<Record<string, string | undefined>> = {
        id: artist?.[form],
        'other-id': artist?.[otherForm[form]],
        name: artist?.name,
        NAME: artist?.name.toUpperCase(),
        'small-name': artist?.name.toLowerCase(),
        tier: artist?.tier ?? 'watch',
      };
      return encode(members[name] ?? addDays(today, -Number(back ?? 0)));
    },
  );
