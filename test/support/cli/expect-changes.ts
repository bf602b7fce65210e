import { expect } from 'chai';

/**
 * Expects the report on a key that called by other parameters than the current form has: a line that `seen` matches, one for each
 * change and the next step, and the verdict in the last line.
 */
export const expectChanges = (printed: string, keyId: string, seen: RegExp): void => {
  const lines = printed.trim().split('\n');
  for (const line of [
    seen,
    /^\/artists\?new=\t\/added\?days=\t1\t/,
    /^\/artists\?id=\t\/artists\?id= \(other values\)\t2\t/,
    /^\/artists\?limit= above 100\t\/artists\?limit=100\t1\t/,
    /^\/artists\?id= of nobody\t\/artists 404\t1\t/,
    /^photo\tan artist\tphoto_url\trename\t/,
    /^404\t1\t.*\t404 not_found$/,
    new RegExp(`^Let it try first, .*artist-gateway keys set ${keyId} --allow-envelope-override`),
  ]) {
    expect(lines.filter((one) => line.test(one)).length, String(line)).to.equal(1);
  }
  expect(lines.at(-1)).to.match(/^ready after renames: \d+ things to change$/);
};
