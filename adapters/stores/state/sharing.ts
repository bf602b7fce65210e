/** A value where it first occurs, afterwards its number. The values themselves are never numbers. */
export type Shared<Cell> = Cell | number;

/** Creates a function that writes each object or text once: artists share most of their days, countries, rights and provenance. */
export const createSharing = () => {
  const numbers = new Map<unknown, number>();
  return <Value, Cell>(value: Value, encode: (value: Value) => Cell): Shared<Cell> => {
    const known = numbers.get(value);
    if (known !== undefined) return known;
    numbers.set(value, numbers.size);
    return encode(value);
  };
};

/** Creates the function that reads what `createSharing` wrote, in the same order. Throws for a number that was not written. */
export const createResolving = () => {
  const values: unknown[] = [];
  return <Cell, Value>(cell: Shared<Cell>, decode: (cell: Cell) => Value): Value => {
    if (typeof cell === 'number') {
      if (cell >= values.length) throw new Error(`there is no shared value ${cell}`);
      return values[cell] as Value; // a number stands where the value itself would, so it was decoded to the same type
    }
    const value = decode(cell);
    values.push(value);
    return value;
  };
};
