/**
 * What `--without NAME` switches off. The gateway's code has no switches for this: the bench copies the built program and
 * replaces, in the copy, the line that makes or asks the cache. Every replacement must be found exactly as often as it says,
 * so a change of the code that this table does not follow ends the run instead of measuring nothing.
 */
export interface Ablation {
  /** What is compared: requests over HTTP, or the first questions after a refresh, inside a process. */
  readonly affects: 'requests' | 'refresh';
  /** The caches it switches off, as the table of caches in `docs/operating.md` calls them; none of a shortcut. */
  readonly caches: readonly string[];
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

/** Replaces a memo by a function that always makes the value anew. */
const anew = (file: string, from: string, times = 1): Replacement => ({
  file,
  from,
  to: from.replace(/(weakMemo|scopedLru)\(\w*\)$/, '((_owner, make) => make())'),
  times,
});

const measured =
  (affects: Ablation['affects']) =>
  (caches: readonly string[], ...replacements: readonly Replacement[]): Ablation => ({ affects, caches, replacements });
const requests = measured('requests');
const refresh = measured('refresh');

export const ablations: Readonly<Record<string, Ablation>> = {
  answers: requests(['answer and `ETag`'], anew(requestCache, 'scopedLru(maxAnswers)')),
  'parsed-queries': requests(['parsed query'], anew(requestCache, 'scopedLru(maxTargets)')),
  'caller-quotas': requests(
    ['quotas of a caller, with their `RateLimit-Policy`'],
    anew(requestCache, 'const known = weakMemo()'),
  ),
  'list-chunks': requests(['JSON of a list, as chunks'], anew(bodyCache, 'const lists = weakMemo()')),
  'item-json': requests(['JSON of an item'], anew(bodyCache, 'const itemTexts = weakMemo()')),
  joined: requests(['lists, plain'], {
    file: cachedBodies,
    from: 'chunks.length < 2 || sends <= minSends',
    to: 'true',
  }),
  deflated: requests(['lists and histories, deflated'], {
    file: cachedBodies,
    from: 'const segment = store.segments.get(id)',
    to: 'return undefined; const segment = undefined',
  }),
  'histories-deflated': requests(
    [
      'lists and histories, deflated',
      "where a history's body is stored",
      'histories of lists that are being sent, deflated',
    ],
    {
      file: bodyCache,
      from: 'const known = store.held.get(id) ?? store.segments.get(id)',
      to: 'const known = undefined',
    },
  ),
  'histories-plain': requests(['histories, plain'], {
    file: cachedBodies,
    from: 'plainHistories.set(id, text)',
    to: 'void text',
  }),
  disclosure: requests(
    ['artist as disclosed', 'signing as disclosed'],
    anew('src/catalogue/disclosure.js', 'weakMemo()', 2),
  ),
  'write-batching': requests([], {
    file: 'adapters/stores/redis/counter.js',
    from: 'createWriteBatcher(client)',
    to: '(() => {})',
  }),
  'rate-limit-fields': requests([], {
    file: 'adapters/forms/current/form.js',
    from: 'rateLimitFields: true',
    to: 'rateLimitFields: false',
  }),
  spikes: refresh(['list of spikes'], { file: 'src/catalogue/spikes.js', from: 'windows.get(days)', to: 'undefined' }),
  'labels-per-p-line': refresh(
    ['label detected in a P-line'],
    anew('src/catalogue/signings.js', 'scopedLru(maxPLines)'),
  ),
  interning: refresh(
    [],
    { file: 'adapters/stores/embedded/catalogue.js', from: 'createInterner()', to: '((artist) => artist)' },
    { file: 'adapters/stores/mongodb/catalogue.js', from: 'createInterner()', to: '((artist) => artist)' },
  ),
};

/** Caches of `docs/operating.md` that save no time which could be measured here, and what they are for. */
export const notAblated: Readonly<Record<string, string>> = {
  'faults of series that were logged': 'keeps the log from repeating itself',
  'history that MongoDB returned too late': 'answers the next request when MongoDB is slower than STORE_TIMEOUT_MS',
};
