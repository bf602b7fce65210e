/** A text and the form of requests without a known key that it is for. */
type Version = readonly [form: string, text: string];

/** Lines for gateways with one form of unknown keys. */
const linesFor = (form: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`{{#unknown_key_${form}}}`, ...lines, `{{/unknown_key_${form}}}`];

/** Two versions of a text as one. The gateway that serves it drops the lines of the other form. */
export const mergeVersions = ([form, text]: Version, [otherForm, otherText]: Version): string => {
  const [lines, others] = [text.split('\n'), otherText.split('\n')];
  const merged: string[] = [];
  let [place, otherPlace] = [0, 0];
  /** How many lines of each version come before the next line that both have. */
  const findNext = (): readonly [number, number] => {
    const [most, otherMost] = [lines.length - place, others.length - otherPlace];
    for (let distance = 0; distance < most + otherMost; distance++)
      for (let skipped = Math.max(0, distance - otherMost); skipped <= distance; skipped++)
        if (lines[place + skipped] === others[otherPlace + distance - skipped])
          return [skipped, distance - skipped];
    return [most, otherMost];
  };
  while (place < lines.length || otherPlace < others.length) {
    const [skipped, otherSkipped] = findNext();
    merged.push(...linesFor(form, lines.slice(place, place + skipped)));
    merged.push(...linesFor(otherForm, others.slice(otherPlace, otherPlace + otherSkipped)));
    place += skipped;
    otherPlace += otherSkipped;
    const shared = lines[place];
    if (shared !== undefined) merged.push(shared);
    place++;
    otherPlace++;
  }
  return merged.join('\n');
};
