import { addDays, type Day } from '../../../src/domain/day.ts';
import { type Json, textAt } from '../../../src/domain/json.ts';
import { type ComparedForm, otherForm } from '../../migration/mapping/forms.ts';
import { foldText } from '../checks/expected-labels.ts';
import { type CaseSide, CaseSkipped, type ItemCondition } from './cases.ts';

export interface KnownArtist {
  readonly current: string;
  readonly variant: string;
  readonly name: string;
  readonly tier: string | undefined;
}

/** True if a request can search a name: 120 code points, and 2,048 bytes for the whole query. */
const fitsQuery = (name: string): boolean =>
  [...name.toUpperCase()].length <= 120 && encodeURIComponent(name.toUpperCase()).length <= 1_500;

/**
 * An artist of the current form with its document identifier; `undefined` if it lacks what requests
 * need.
 */
export const toKnownArtist = (
  item: Json,
  documentId: string | undefined,
): KnownArtist | undefined => {
  const [id, name] = [textAt(item, 'id'), textAt(item, 'name')];
  const isKnown =
    id && name && documentId && fitsQuery(name) && encodeURIComponent(documentId).length <= 1_500;
  return isKnown
    ? { current: id, variant: documentId, name, tier: textAt(item, 'tier') }
    : undefined;
};

export interface CaseFocus {
  readonly today: Day;
  readonly artist: KnownArtist | undefined;
}

/**
 * Replaces the placeholders `{…}` of a case by an artist's members and by days. Raises
 * `CaseSkipped` when it needs an artist and has none.
 */
export const fillPlaceholders = (
  text: string,
  form: ComparedForm,
  { today, artist }: CaseFocus,
  encode: (value: string) => string = (value) => value,
): string =>
  text.replace(
    /\{(id|ID|other-id|name|NAME|small-name|tier|today(?:-(\d+))?)\}/g,
    (_match, name: string, days: string | undefined) => {
      if (name.startsWith('today')) return encode(addDays(today, -Number(days ?? 0)));
      if (artist === undefined) throw new CaseSkipped('they need an artist, and there is none');
      const capitals = artist[form].toUpperCase();
      if (name === 'ID' && capitals === artist[form])
        throw new CaseSkipped('they need an identifier with a small letter');
      const members: Readonly<Record<string, string>> = {
        id: artist[form],
        ID: capitals,
        'other-id': artist[otherForm[form]],
        name: artist.name,
        NAME: artist.name.toUpperCase(),
        'small-name': artist.name.toLowerCase(),
        tier: artist.tier ?? 'watch',
      };
      return encode(members[name] ?? '');
    },
  );

const fulfils = (
  item: Json,
  { member, is, isNot, absent, contains, since, until }: ItemCondition,
): boolean => {
  const text = textAt(item, member);
  if (absent && text !== undefined) return false;
  if (is !== undefined && text !== is) return false;
  if (isNot !== undefined && text === isNot) return false;
  if (since !== undefined && (text === undefined || text < since)) return false;
  if (until !== undefined && (text === undefined || text > until)) return false;
  return contains === undefined || foldText(text ?? '').includes(foldText(contains));
};

/** Selects the items of an answer that a side of a case compares. */
export const createItemFilter = (
  side: CaseSide,
  form: ComparedForm,
  focus: CaseFocus,
): ((item: Json) => boolean) => {
  const fill = (text: string | undefined) => text && fillPlaceholders(text, form, focus);
  const conditions = side.keep.map((condition) => ({
    ...condition,
    contains: fill(condition.contains),
    since: fill(condition.since),
    until: fill(condition.until),
  }));
  return (item) => conditions.every((condition) => fulfils(item, condition));
};
