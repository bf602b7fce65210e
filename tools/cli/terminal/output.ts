/**
 * Writes to standard output. Rejects when not all of it was taken: the reader has gone, or the disk
 * is full.
 */
export const writeOut = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
