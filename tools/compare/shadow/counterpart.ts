import type { ComparedForm } from '../../crosswalk/forms.ts';
import { isObject, type Json, type JsonObject, valueAt } from '../../crosswalk/json.ts';

/** A route's template, and the text of a question to it as `ParsedQuery.question` has it. */
interface RouteQuestion {
  readonly path: string;
  /** `undefined` where the question has no members. */
  readonly question: string | undefined;
}

/** The members of a question; none where it has none. */
export const questionMembers = (question: string | undefined): JsonObject => {
  const value: Json = question === undefined ? null : JSON.parse(question);
  return isObject(value) ? value : {};
};

/** The variant form's question for the artists of a current form's question. */
const artistsFor = (path: string, asked: JsonObject): JsonObject => {
  const { id = '', days = 0, limit = 1 } = asked;
  if (path.endsWith('/artists/:id')) return { filters: { id }, limit: 1 };
  return path.endsWith('/added') ? { filters: { addedWithinDays: days }, limit } : asked;
};

/**
 * The question of the other form that has the same answer. The two forms state one canonical
 * question, so members of it that the other form has no parameter for (a name, a cursor, `signed`)
 * are kept; only history is left out, as the variant form has none. `undefined` for a list that the
 * variant form left empty because its query is too long: the current form refuses such a query.
 */
export const counterpartOf = (
  served: ComparedForm,
  { path, question }: RouteQuestion,
): (RouteQuestion & { readonly question: string }) | undefined => {
  const { includeHistory: _history, fields: _fields, ...asked } = questionMembers(question);
  if (asked['nothing'] === true) return undefined;
  if (/\/(spikes|signings)$/.test(path)) return { path, question: JSON.stringify(asked) };
  if (served === 'variant') return { path, question: JSON.stringify(asked) };
  const artists = path.replace(/\/(added|artists\/:id)$/, '/artists');
  return { path: artists, question: JSON.stringify({ ...artistsFor(path, asked), fields: 'all' }) };
};

/** A request for a question in one form's words, as far as its answer is judged by them. */
export const requestFor = ({ path, question }: RouteQuestion): string => {
  const days = valueAt(questionMembers(question), 'days');
  return `${path.replaceAll(/:(\w+)/g, '$1')}${days === undefined ? '' : `?days=${days}`}`;
};
