/** Texts between bars. */
export const texts = (joined: string): readonly string[] => joined.split('|');

const numbers = texts(
  `1|7|30|31|90|91|100|101|200|201|0||010|07|0x10|0b11|1e2|5.0| 5 |+5|50\n|5\0|-0|-1|NaN|Infinity|true|1_0|٥|５|no|${'9'.repeat(20)}|${'9'.repeat(400)}`,
);
const days = texts('2026-08-15|2026-08-22|2026-08-23|9999-12-31|1970-01-01|2024-02-29|0001-01-01');
const notDays = texts(
  '0000-01-01|0000-12-31|10000-01-01|2026-02-30|2023-02-29|2026-13-01|2026-1-1|20260101|x||2026-01-01T00:00:00Z|2026-01-01 |2026-01-01\n| 2026-01-01|+2026-01-01|12026-01-01',
);
const sought = texts(
  'a b|A B|b\u00e9a|be\u0301a|.*|(a+)+$|100%|\\|[|{"$gt":""}|χαλκινες|STRASSE|straße|🎸|\u200b|\u202e|見坂|\t|  |L\0l|e\nb|\x7f|ι|\u03b1\u0301\u0345|οδυσσευς|',
);
const limitsOfName = ['y', '🎸'].flatMap((letter) => [letter.repeat(120), letter.repeat(121)]);
/**
 * Values of parameters, most of them odd; what the specification says of each is in the oracles.
 */
export const oddValues = {
  limit: numbers,
  days: numbers,
  new: [...texts('0|1|abc|1.5| 1|9007199254740991|9007199254740992'), ...numbers],
  added_since: [...days, ...notDays],
  tier: texts('watch|nope|WATCH|'),
  id: texts('art_7|doc_7|nobody|__proto__|a\0b|'),
  signed: texts('true|TRUE|false|False|maybe|1|'),
  fields: texts('basic|all|BASIC|name|'),
  include: texts('history|History|history,x|'),
  name: [...sought, ...limitsOfName],
  cursor: texts('|x|eyJfX3Byb3RvX18iOnt9fQ|W10'),
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Parameter = keyof typeof oddValues;
