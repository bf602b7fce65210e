import type { Artist } from '../../../src/domain/model.ts';
import { artist, song } from '../../stores/documents/catalogue-members.ts';
import { membersOf } from '../../stores/documents/collection-reader.ts';
import type { StoredMember, Type } from '../../stores/documents/member-types.ts';

/** Plain members come before those of objects and of maps. */
const rank = ({ type }: StoredMember): number => ['object', 'map'].indexOf(type.is);

/** The counted members of a model by their stored names, such as `signing.status`. */
function* countedMembers(
  { members }: Extract<Type, { readonly is: 'object' }>,
  model: unknown,
  path = '',
): Iterable<readonly [member: string, value: unknown]> {
  const values = membersOf(model);
  for (const { key = '', name, type, isCounted, isRequired } of members.toSorted(
    (left, right) => rank(left) - rank(right),
  )) {
    const [member, value] = [path + name, values[key]];
    if (type.is === 'object') yield* countedMembers(type, value, `${member}.`);
    else if (isCounted !== true) continue;
    else if (type.is === 'map') for (const of of type.names) yield [`${member}.${of}`, membersOf(value)[of]];
    else yield [member, isRequired && Array.isArray(value) ? value[0] : value]; // a list that must be there may be empty
  }
}

/** Counts the optional members that artists and their songs lack. */
export const createMissingMembers = () => {
  const counts = new Map<string, { missing: number; of: number }>();
  const count = (members: Iterable<readonly [member: string, value: unknown]>): void => {
    for (const [member, value] of members) {
      const { missing, of } = counts.get(member) ?? { missing: 0, of: 0 };
      counts.set(member, { missing: missing + (value === undefined ? 1 : 0), of: of + 1 });
    }
  };
  return {
    add(model: Artist): void {
      count(countedMembers(artist, model));
      for (const one of model.songs) count(countedMembers(song, one, 'songs.'));
    },
    /** Members that at least one artist or song lacks, most often first. */
    list: () =>
      [...counts]
        .map(([member, { missing, of }]) => ({ member, missing, of, percent: Math.round((missing / of) * 1000) / 10 }))
        .filter(({ missing }) => missing > 0)
        .toSorted((left, right) => right.percent - left.percent),
  };
};

/** How many of all artists or songs lack an optional member. */
export type MissingMember = ReturnType<ReturnType<typeof createMissingMembers>['list']>[number];
