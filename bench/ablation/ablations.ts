/**
 * What `--without NAME` switches off. The gateway's code has no switches for this: the bench copies the built program and
 * replaces, in the copy, the line that makes or asks the cache. Every replacement must be found exactly as often as it says,
 * so a change of the code that this table does not follow ends the run instead of measuring nothing.
 */
export interface Ablation {
  /** What is compared: requests over HTTP, or the first questions after a refresh, inside a process. */
  readonly affects: 'requests' | 'refresh';
  readonly replacements: readonly Replacement[];
}

export interface Replacement {
  /** In `dist`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** How often `from` occurs; once by default. */
  readonly times?: number;
}

const bodyCache = 'adapters/rendering/body-cache.js';
const cachedBodies = 'adapters/rendering/cached-bodies.js';
const requestCache = 'adapters/http/request-cache.js';
const signings = 'src/catalogue/signings.js';
const makeAnew = '((_owner, make) => make())';

const requests = (...replacements: readonly Replacement[]): Ablation => ({ affects: 'requests', replacements });
const refresh = (...replacements: readonly Replacement[]): Ablation => ({ affects: 'refresh', replacements });

export const ablations: Readonly<Record<string, Ablation>> = {
  answers: requests({ file: requestCache, from: 'scopedLru(maxAnswers)', to: makeAnew }),
  'parsed-queries': requests({ file: requestCache, from: 'scopedLru(maxTargets)', to: makeAnew }),
  'list-chunks': requests({ file: bodyCache, from: 'const lists = weakMemo()', to: `const lists = ${makeAnew}` }),
  'item-json': requests({ file: bodyCache, from: 'const itemTexts = weakMemo()', to: `const itemTexts = ${makeAnew}` }),
  joined: requests({ file: cachedBodies, from: 'chunks.length < 2 || sends <= minSends', to: 'true' }),
  deflated: requests({
    file: cachedBodies,
    from: 'const segment = store.segments.get(id)',
    to: 'return undefined; const segment = undefined',
  }),
  'histories-deflated': requests({
    file: bodyCache,
    from: 'const known = store.held.get(id) ?? store.segments.get(id)',
    to: 'const known = undefined',
  }),
  'histories-plain': requests(
    { file: bodyCache, from: 'plainHistories.set(id, text)', to: 'void text' },
    { file: cachedBodies, from: 'plainHistories.set(id, text)', to: 'void text' },
  ),
  disclosure: requests({ file: 'src/catalogue/disclosure.js', from: 'weakMemo()', to: makeAnew, times: 2 }),
  'write-batching': requests({
    file: 'adapters/stores/redis/counter.js',
    from: 'createWriteBatcher(client)',
    to: '(() => {})',
  }),
  spikes: refresh({ file: 'src/catalogue/spikes.js', from: 'windows.get(days)', to: 'undefined' }),
  'label-songs': refresh({ file: signings, from: 'weakMemo()', to: makeAnew }),
  'labels-per-p-line': refresh({ file: signings, from: 'scopedLru(maxPLines)', to: makeAnew }),
  interning: refresh(
    { file: 'adapters/stores/embedded/catalogue.js', from: 'createInterner()', to: '((artist) => artist)' },
    { file: 'adapters/stores/mongodb/catalogue.js', from: 'createInterner()', to: '((artist) => artist)' },
  ),
};
