/** The head of an answer, as far as anybody looks at it here. */
export interface Head {
  readonly status: number;
  /** Bytes of the body; `NaN` when they were not told. */
  readonly length: number;
  readonly closes: boolean;
}

const readHead = (text: string): Head => {
  const status = Number(text.slice(9, 12));
  const length = status === 304 ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1]);
  return { status, length, closes: /\r\nconnection: close/i.test(text) };
};

/** Who is told what a reader finds. */
export interface Listener {
  /** A head is complete; gives what is wrong with it, if anything. */
  begin(head: Head): string | undefined;
  /** The whole answer is there. */
  end(head: Head): void;
  fail(reason: string): void;
}

const endOfHead = '\r\n\r\n';

/** No head is longer than this, in bytes. */
const maxHeadLength = 4_096;

/** Reads one answer after the other out of the bytes of a connection: heads are looked at, bodies only counted. */
export const createAnswerReader = (bytes: Buffer, listener: Listener): ((length: number) => void) => {
  let text = '';
  let head: Head | undefined;
  let missing = 0;

  /** Gives where the body begins; `undefined` while the head is not complete, or when it is wrong. */
  const takeHead = (length: number): number | undefined => {
    const before = text.length;
    text += bytes.toString('latin1', 0, Math.min(length, maxHeadLength));
    const end = text.indexOf(endOfHead);
    if (end === -1) return undefined;
    head = readHead(text.slice(0, end + 2));
    missing = head.length;
    const wrong = listener.begin(head);
    if (wrong === undefined) return end + endOfHead.length - before;
    listener.fail(wrong);
    return undefined;
  };

  return (length) => {
    const at = head === undefined ? takeHead(length) : 0;
    if (at === undefined || head === undefined) return;
    missing -= length - at;
    if (missing < 0) listener.fail('more bytes than were announced');
    if (missing !== 0) return;
    const done = head;
    head = undefined;
    text = '';
    listener.end(done);
  };
};
