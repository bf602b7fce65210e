import { box, drawing, text } from './svg.ts';

/**
 * The members of an answer that the picture has room for, at any depth; of a list it shows the last
 * item.
 */
const shownMembers: ReadonlySet<string> = new Set([
  ...[
    'data',
    'id',
    'name',
    'tier',
    'signing',
    'status',
    'metrics',
    'monthly_listeners',
    'meta',
    'count',
    'next_cursor',
  ],
  ...[
    'success',
    'signed_status',
    'total_songs',
    '_meta',
    'authenticated_as',
    'timestamp',
    'generated_at',
  ],
]);

/** What the picture shows of a JSON value. */
const shown = (value: unknown): unknown => {
  if (Array.isArray(value)) return ['…', shown(value.at(-1))];
  if (typeof value === 'string' && value.length > 26) return `${value.slice(0, 20)}…`;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([name, member]) =>
          shownMembers.has(name) && !(name === 'status' && typeof member === 'object'),
      )
      .map(([name, member]) => [name, shown(member)]),
  );
};

const lineHeight = 17; // in pixels

const card = (x: number, title: string, who: string, body: string): readonly string[] => {
  const lines = JSON.stringify(shown(JSON.parse(body)), undefined, 2)
    .replace('"…"', '…')
    .split('\n');
  return [
    box(x, 130, 450, 72 + lines.length * lineHeight),
    text(x + 16, 156, title, 'title'),
    text(x + 16, 176, who, 'quiet'),
    ...lines.map((line, index) => text(x + 16, 202 + index * lineHeight, line, 'code')),
  ];
};

/** One question and its answer in both forms, drawn from the bodies of two real responses. */
export const drawIdea = (path: string, current: string, variant: string): string =>
  drawing(
    960,
    610,
    'One question, two answers: the same artist in the current form and in the variant form',
    [
      box(240, 10, 480, 64, 'core'),
      text(256, 36, `GET ${path}`, 'code'),
      text(256, 58, 'one question; the key decides the form of the answer', 'quiet'),
      '<path class="edge" d="M 400 74 C 400 105 245 95 245 126 M 560 74 C 560 105 715 95 715 126"/>',
      ...card(10, 'current form', 'for new partners', current),
      ...card(500, 'variant form', 'for partners whose parsers are pinned to it', variant),
    ],
  );
