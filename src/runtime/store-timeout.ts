import { StoreError } from './store-error.ts';

/** The longest time of a timer of Node, 25 days: one that is longer, or infinite, ends at once. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Settles as a read of a store does, or rejects with a `StoreError` of this message after `waitMs`
 * milliseconds. A result after that is passed to `late`; a late rejection is dropped. When this
 * process was too busy to read in time, what the store had answered counts: due timers run before
 * sockets are read, so sockets are read once more before a rejection.
 */
export const withStoreTimeout = <Result>(
  read: Promise<Result>,
  waitMs: number,
  message: string,
  late?: (result: Result) => void,
): Promise<Result> =>
  new Promise((resolve, reject) => {
    let expired = false;
    const expire = () => {
      expired = true;
      reject(new StoreError(message));
    };
    let lastRead: NodeJS.Immediate | undefined;
    const timer = setTimeout(
      () => {
        lastRead = setImmediate(expire);
      },
      Math.min(Math.max(0, waitMs), maxTimerMs),
    );
    const settle = () => {
      clearTimeout(timer);
      clearImmediate(lastRead);
    };
    read.then(
      (result) => {
        settle();
        if (expired) late?.(result);
        else resolve(result);
      },
      (thrown: unknown) => {
        settle();
        reject(thrown);
      },
    );
  });
