import { addDays } from '../../../src/domain/day.ts';
import { type Json, textAt } from '../../../src/domain/json.ts';
import { requestedNumber } from '../../migration/mapping/request-rows.ts';
import { foldText } from './expected-labels.ts';
import { byMembers, type IdentifyItem, type ListCheck, type ListQuery } from './list-check.ts';

const isAskedFor = (artist: Json, { path, today }: ListQuery): boolean => {
  const [template = '', search] = path.split('?');
  const query = new URLSearchParams(search);
  const [tier, name, since] = [query.get('tier'), query.get('name'), query.get('added_since')];
  const [, encodedId] = /^\/artists\/(.+)/.exec(template) ?? [];
  const id = encodedId === undefined ? query.get('id') : decodeURIComponent(encodedId);
  const added = textAt(artist, 'date_added') ?? '';
  const days = template === '/added' ? requestedNumber('current', path, 'days') : undefined;
  return (
    (id === null || textAt(artist, 'id') === id) &&
    (tier === null || textAt(artist, 'tier') === tier) &&
    (name === null || foldText(textAt(artist, 'name') ?? '').includes(foldText(name))) &&
    (since === null || added >= since) &&
    (days === undefined || (added >= addDays(today, -days) && added <= today))
  );
};

export const artistCheck: ListCheck = {
  table: 'artist',
  identify(current, { documentIdOf }) {
    const idOf: IdentifyItem = (item) => documentIdOf(textAt(item, 'id') ?? '') ?? '';
    return current.every((item) => idOf(item) !== '')
      ? { ...byMembers('id'), current: idOf }
      : byMembers('name', 'date_added');
  },
  identity: ['id'],
  keyMembers: ['id', 'name', 'date_added', 'tier', 'signing.status'],
  expectedItems: ({ artists }, query) => artists.filter((artist) => isAskedFor(artist, query)),
};
