import { groupBy } from '../../src/domain/groups.ts';
import { box, drawing, text } from './svg.ts';

/** A house of the Mermaid picture: a `subgraph`, with the lines of its rooms. */
interface House {
  readonly title: string;
  readonly lines: string;
}

const readHouses = (mermaid: string): readonly House[] =>
  [...mermaid.matchAll(/^ +subgraph \w+\["([^"]+)"\]\n(.+?)^ +end$/gms)].map(
    ([, title = '', lines = '']) => ({ title, lines }),
  );

/** What each room does, from lines in which rooms are written `name["title<br/>about"]`. */
const readRooms = (lines: string): ReadonlyMap<string, string> =>
  new Map(
    [...lines.matchAll(/(\w+)\["[^"<]+<br\/>([^"]+)"\]/g)].map(([, name = '', about = '']) => [
      name,
      about,
    ]),
  );

/** What each room imports, from lines that are written `name["…"] --> name & name["…"]`. */
const readImports = (mermaid: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...mermaid.replaceAll(/\["[^"]+"\]/g, '').matchAll(/^ +(\w+) --> (.+)$/gm)].map(
      ([, name = '', to = '']) => [name, to.split(' & ')],
    ),
  );

/** The rooms that a request passes, in their order: the comment `%% a request: …`. */
const readWay = (mermaid: string): readonly string[] =>
  /%% a request: (.+)/.exec(mermaid)?.[1]?.split(' ') ?? [];

const [height, gap, header] = [46, 10, 34]; // in pixels

/** Added to the letters of a room's text, by which the rooms of a row share its width. */
const paddingLetters = 4;

/** How many rooms of its house stand below a room, on its longest way of imports. */
const levelOf = (
  room: string,
  rooms: ReadonlyMap<string, string>,
  imports: ReadonlyMap<string, readonly string[]>,
): number => {
  const below = (imports.get(room) ?? []).filter((name) => rooms.has(name));
  return 1 + Math.max(-1, ...below.map((name) => levelOf(name, rooms, imports)));
};

/**
 * Draws the houses of a Mermaid picture side by side, each in rows: a room imports only rooms of
 * the rows below it, in its house or in the one to the left; the rooms of the second house have a
 * row each. Rooms of the core have a colour, and those
 * that a request passes a number.
 */
export const drawRooms = (mermaid: string, isCore: (room: string) => boolean): string => {
  const imports = readImports(mermaid);
  const way = readWay(mermaid);
  const widths = [660, 240]; // of the house that serves, and of the other
  const houses = readHouses(mermaid).map(({ title, lines }, house) => {
    const rooms = readRooms(lines);
    const levels = [...rooms]
      .map(([name, about]) => ({ name, about, level: levelOf(name, rooms, imports) }))
      .sort((one, other) => other.level - one.level);
    const rows =
      house === 0
        ? [...groupBy(levels, ({ level }) => level).values()]
        : levels.map((room) => [room]);
    return { title, rows };
  });
  const rowCount = Math.max(...houses.map(({ rows }) => rows.length));
  let left = 0;
  const shapes = houses.flatMap(({ title, rows }, index) => {
    const width = widths[index] ?? 0;
    const drawn = [text(left + gap, 22, title, 'title')];
    // the rooms of both houses stand on one ground
    const first = header + (rowCount - rows.length) * (height + gap);
    for (const [row, inRow] of rows.entries()) {
      const letters = inRow.reduce((sum, { about }) => sum + about.length + paddingLetters, 0);
      const [y, free] = [first + row * (height + gap), width - gap * (inRow.length + 1)];
      let x = left + gap;
      for (const { name, about } of inRow) {
        const boxWidth = (free * (about.length + paddingLetters)) / letters;
        const step = way.indexOf(name);
        drawn.push(
          box(x, y, boxWidth, height, isCore(name) ? 'core' : ''),
          text(x + 12, y + 19, step < 0 ? name : `${'①②③④⑤⑥⑦⑧⑨'[step]} ${name}`, 'title'),
          text(x + 12, y + 37, about, 'quiet'),
        );
        x += boxWidth + gap;
      }
    }
    left += width + gap;
    return drawn;
  });
  const title = `The rooms of the gateway in two houses; a request passes ${way.join(', ')}`;
  return drawing(left - gap, header + rowCount * (height + gap), title, shapes);
};
