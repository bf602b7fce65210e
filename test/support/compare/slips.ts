import type { ReceivedResponse, SendRequest } from '../../../tools/compare/cases/send-request.ts';
import type { ComparedForm } from '../../../tools/migration/mapping/forms.ts';

/** Changes to the replies of a right gateway, which the comparison must notice. */

export type Change = (value: unknown) => unknown;

/** A change that leaves a field out. */
export const gone = (): undefined => undefined;

/** A change that reverses a list. */
export const backwards = (list: unknown): unknown =>
  Array.isArray(list) ? list.toReversed() : list;

/** A change to a list. */
export const inList =
  (change: (list: readonly unknown[]) => unknown): Change =>
  (list) =>
    Array.isArray(list) ? change(list) : list;

/** Changes every value at a path, split into its parts, if there is one. */
export const changeAt = (
  value: unknown,
  [name, ...rest]: readonly string[],
  change: Change,
): unknown => {
  if (value === undefined || name === undefined) return value === undefined ? value : change(value);
  if (name === '[]') {
    if (!Array.isArray(value)) return value;
    return value.flatMap((item) => changeAt(item, rest, change) ?? []);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).map(([one, member]) => [
    one,
    name === '*' || name === one ? changeAt(member, rest, change) : member,
  ]);
  return Object.fromEntries(members);
};

/** The parts of a path such as `songs[].metrics.*`. */
export const partsOf = (path: string): readonly string[] => path.split(/\.|(?=\[\])/);

/** The reply with a changed body; the same object if nothing changes. */
export const withBody = (reply: ReceivedResponse, change: Change): ReceivedResponse => {
  if (!reply.headers['content-type']?.includes('json')) return reply;
  const body = JSON.parse(reply.text);
  const text = JSON.stringify(change(body));
  return text === JSON.stringify(body) ? reply : { ...reply, text };
};

/** Changes to the data of a form's paths: in each item at a path, or with '' to the list. */
export interface DataSlip {
  readonly form: ComparedForm;
  /** The beginning of the paths below `/api/v1/`. */
  readonly of: 'artists' | 'added' | 'spikes' | 'signings';
  readonly at: string;
  readonly change: Change;
}

/** Sends with a gateway whose replies are changed. */
export const slipping =
  (send: SendRequest, ...slips: readonly DataSlip[]): SendRequest =>
  async (request) => {
    const reply = await send(request);
    const served = reply.headers['x-envelope-served'] ?? request.form;
    return slips
      .filter(({ form, of }) => served === form && request.path.startsWith(`/api/v1/${of}`))
      .reduce((changed, { at, change }) => {
        const places = at === '' ? ['data'] : [`data.${at}`, `data[].${at}`];
        return withBody(changed, (body) =>
          places.reduce<unknown>((whole, path) => changeAt(whole, partsOf(path), change), body),
        );
      }, reply);
  };
