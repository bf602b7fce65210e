/** The line on which each element of a JSON array begins, so that a document in it can be found in an editor. */
export const elementLines = (text: string): number[] => {
  const lines: number[] = [];
  let line = 1;
  let depth = 0;
  let inText = false;
  let awaitsElement = false;
  for (let place = 0; place < text.length; place++) {
    const character = text[place];
    if (character === '\n') line += 1;
    if (inText) {
      if (character === '\\') place += 1;
      else if (character === '"') inText = false;
      continue;
    }
    if (character === ' ' || character === '\t' || character === '\r' || character === '\n') continue;
    if (depth === 1 && awaitsElement && character !== ']') {
      lines.push(line);
      awaitsElement = false;
    }
    if (character === '"') inText = true;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth === 1 && (lines.length === 0 || character === ',')) awaitsElement = true;
  }
  return lines;
};
