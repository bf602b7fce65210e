import { BSON, type Document } from 'mongodb';

/** A command of a driver, as MongoDB's wire protocol brings it. */
interface Message {
  readonly requestId: number;
  readonly command: Document;
  /** True if the driver sent the old message that it begins with. The reply is the same kind. */
  readonly isOld: boolean;
}

const [opReply, opQuery, opMessage] = [1, 2004, 2013] as const;
const headerLength = 16;

const readMessage = (bytes: Buffer): Message => {
  const isOld = bytes.readInt32LE(12) === opQuery;
  // Behind the header: flags, and the kind of the first part; in the old message flags, a name and
  // two numbers.
  const at = isOld ? bytes.indexOf(0, headerLength + 4) + 9 : headerLength + 5;
  // Lists of documents may follow the command. They are ignored.
  const command = BSON.deserialize(bytes.subarray(at), {
    allowObjectSmallerThanBufferSize: true,
  });
  return { requestId: bytes.readInt32LE(4), command, isOld };
};

/** Reads bytes and returns complete messages. */
export const createReader = (): ((bytes: Buffer) => Message[]) => {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const messages: Message[] = [];
    while (rest.length >= headerLength && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      messages.push(readMessage(rest.subarray(0, length)));
      rest = rest.subarray(length);
    }
    return messages;
  };
};

export const writeAnswer = ({ requestId, isOld }: Message, answer: Document): Buffer => {
  const document = BSON.serialize(answer, { ignoreUndefined: true });
  const before = Buffer.alloc(headerLength + (isOld ? 20 : 5));
  before.writeInt32LE(before.length + document.length, 0);
  before.writeInt32LE(requestId, 8);
  before.writeInt32LE(isOld ? opReply : opMessage, 12);
  if (isOld) before.writeInt32LE(1, before.length - 4); // one document
  return Buffer.concat([before, document]);
};
