/**
 * Code points that a person does not see, or that turn what is beside them: bounds of ranges, each
 * point at least once.
 */
const unseenRanges: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0x061c, 0x061c],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xfeff, 0xfeff],
  [0xe0000, 0xe007f],
];

const charactersOf = ([first, last]: readonly [number, number]): string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));

/**
 * What GitHub Actions, Azure Pipelines and TeamCity take for commands, anywhere in a line or at its
 * beginning.
 */
const commands = [
  '##[error]',
  '###[error]',
  '##[Group]',
  '##vso[task.complete]',
  '##teamcity[x]',
  '::error::',
  '  ::error file=a::',
  '::Stop-Commands::x',
  '::add-mask::a',
];

const links = [
  'https://evil.example',
  'HTTP://evil.example/a_b',
  'ftp://evil.example',
  'www.evil.example',
  'WWW.evil.example',
  'evil@evil.example',
  'mailto:evil@evil.example',
  'xmpp:evil@evil.example',
  '@everybody',
  '[a](https://evil.example)',
  '<https://evil.example>',
  '![a](https://evil.example/a.png)',
  '[a]: https://evil.example',
  'a`https://evil.example`',
  '`https://evil.example',
  'https://evil.example|www.evil.example',
  'https\\://evil.example',
  '\\https://evil.example',
];

const markup = [
  '</title><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><a href="//evil.example">',
  '&#8238;',
];

/**
 * Names of artists, partners and organizations as an attacker would choose them, some 300, each
 * with something that shows where it went.
 */
export const hostileNames: readonly string[] = [
  ...unseenRanges.flatMap(charactersOf),
  ...commands,
  ...links,
  ...markup,
].map((piece, index) =>
  index % 3 === 0
    ? `${piece} n${index}`
    : index % 3 === 1
      ? `n${index}${piece}z`
      : `n${index} ${piece}`,
);

const escaped = (point: number): string => `\\u{${point.toString(16)}}`;
const unseen = new RegExp(
  `[${unseenRanges.map(([first, last]) => `${escaped(first)}-${escaped(last)}`).join('')}]`,
  'u',
);

/**
 * The lines of an output that a person could not trust or that a CI system would obey. Tabs, line
 * ends and a spreadsheet's are meant.
 */
export const unsafeLines = (output: string): readonly string[] =>
  output
    .split(/\r?\n/)
    .filter(
      (line) =>
        unseen.test(line.replaceAll('\t', '')) ||
        /##[a-z]*\[/i.test(line) ||
        /^\s*::[a-z-]+[^:]*::/i.test(line),
    );
