import { box, drawing, text } from './svg.ts';

/**
 * What each room does, from a Mermaid picture whose rooms are written `name["title<br/>about"]`.
 */
const readRooms = (mermaid: string): ReadonlyMap<string, string> =>
  new Map(
    [...mermaid.matchAll(/(\w+)\["[^"<]+<br\/>([^"]+)"\]/g)].map(([, name = '', about = '']) => [
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

/** How many rooms stand below a room, on its longest way of imports. */
const levelOf = (room: string, imports: ReadonlyMap<string, readonly string[]>): number =>
  1 + Math.max(-1, ...(imports.get(room) ?? []).map((below) => levelOf(below, imports)));

const [width, height, gap] = [960, 46, 10]; // in pixels

/** Added to the letters of a room's text, by which the rooms of a row share its width. */
const paddingLetters = 4;

/**
 * Draws the rooms of a Mermaid picture in rows: a room imports only rooms of the rows below it.
 * Rooms of the core have a colour.
 */
export const drawRooms = (mermaid: string, isCore: (room: string) => boolean): string => {
  const imports = readImports(mermaid);
  const rooms = [...readRooms(mermaid)].map(([name, about]) => ({
    name,
    about,
    level: levelOf(name, imports),
  }));
  const top = Math.max(...rooms.map(({ level }) => level));
  const rows = Array.from({ length: top + 1 }, (_, row) =>
    rooms.filter(({ level }) => level === top - row),
  );
  const shapes = rows.flatMap((inRow, row) => {
    const letters = inRow.reduce((sum, { about }) => sum + about.length + paddingLetters, 0);
    const [y, free] = [gap + row * (height + gap), width - gap * (inRow.length + 1)];
    let x = gap;
    return inRow.flatMap(({ name, about }) => {
      const boxWidth = (free * (about.length + paddingLetters)) / letters;
      const shapesOfRoom = [
        box(x, y, boxWidth, height, isCore(name) ? 'core' : ''),
        text(x + 12, y + 19, name, 'title'),
        text(x + 12, y + 37, about, 'quiet'),
      ];
      x += boxWidth + gap;
      return shapesOfRoom;
    });
  });
  const title = 'The rooms of the gateway; each imports only rooms of the rows below it';
  return drawing(width, gap + (top + 1) * (height + gap), title, shapes);
};
