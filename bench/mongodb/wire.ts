import { BSON, type Document } from 'mongodb';
import type { Raw } from './raw.ts';

/** MongoDB's wire protocol, as far as the gateway needs it. */
export interface Question {
  readonly requestId: number;
  readonly command: Document;
  /** Whether it came in the old message that a driver begins with: it is answered in the same. */
  readonly isOld: boolean;
}

const opReply = 1;
const opQuery = 2004;
const opMessage = 2013;
const headerLength = 16;

const readOldQuery = (body: Buffer): Document => BSON.deserialize(body.subarray(body.indexOf(0, 4) + 9));

/** A message's parts, behind four bytes of flags: the command, and lists of documents, which nobody looks at here. */
const readMessage = (body: Buffer): Document => {
  let at = 4;
  while (body[at] !== 0) at += 1 + body.readInt32LE(at + 1);
  return BSON.deserialize(body.subarray(at + 1, at + 1 + body.readInt32LE(at + 1)));
};

const readQuestion = (message: Buffer): Question => {
  const requestId = message.readInt32LE(4);
  const kind = message.readInt32LE(12);
  const body = message.subarray(headerLength);
  if (kind === opMessage) return { requestId, command: readMessage(body), isOld: false };
  if (kind === opQuery) return { requestId, command: readOldQuery(body), isOld: true };
  throw new Error(`message ${kind} is not spoken here`);
};

/** Takes bytes as they come, and gives the messages that are complete. */
export const createReader = (): ((bytes: Buffer) => Question[]) => {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const questions: Question[] = [];
    while (rest.length >= headerLength && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      questions.push(readQuestion(rest.subarray(0, length)));
      rest = rest.subarray(length);
    }
    return questions;
  };
};

/** The bytes of an answer. */
export const writeAnswer = ({ requestId, isOld }: Question, document: Raw): Buffer => {
  const before = Buffer.alloc(headerLength + (isOld ? 20 : 5));
  before.writeInt32LE(before.length + document.length, 0);
  before.writeInt32LE(requestId, 8);
  before.writeInt32LE(isOld ? opReply : opMessage, 12);
  if (isOld) before.writeInt32LE(1, before.length - 4); // one document
  return Buffer.concat([before, document]);
};
