import { type Json, textAt } from '../../../src/crosswalk/json.ts';
import { problemRows } from '../../../src/crosswalk/problems-rows.ts';
import type { ErrorMapping, ProblemRow } from '../../../src/crosswalk/request-rows.ts';
import type { FormName } from '../../../src/domain/caller.ts';
import type { ComparisonCase, SideOfCase } from '../cases/cases.ts';
import type { SideResponse } from '../cases/send-request.ts';
import type { Line, MemberName } from './members.ts';
import { type Shape, schemaErrors } from './response-schemas.ts';

/** What one side of a case must come to. */
export interface Expected {
  readonly served: FormName;
  readonly row: ProblemRow | undefined;
  readonly said: ErrorMapping | undefined;
  readonly status: number;
}

const codePaths: Readonly<Record<FormName, string>> = { current: 'error.code', variant: 'error' };

/** What the case says of a side, in the words of the form that is served. */
export const expectedOf = (form: FormName, side: SideOfCase): Expected => {
  const served = side.served ?? form;
  if (side.problem === undefined)
    return { served, row: undefined, said: undefined, status: side.notModified ? 304 : 200 };
  const row = problemRows.find(({ problem }) => problem === side.problem);
  const said = row?.[served];
  if (said === undefined) throw new Error(`${side.ask}: the ${served} form never says ${side.problem}`);
  return { served, row, said, status: said.status };
};

const shapeOf = ({ items, detail }: ComparisonCase, { said }: Expected): Shape | undefined => {
  if (said !== undefined) return 'error';
  if (items === 'artists') return detail ? 'artist' : 'artists';
  return items === 'nothing' ? undefined : items;
};

const statusMember = (answer: SideResponse): MemberName => ({
  path: 'status',
  value: answer.replies.at(-1)?.status ?? 0,
});

const codeMember = (body: Json | undefined, served: FormName): MemberName | undefined => {
  const code = textAt(body, codePaths[served]);
  return code === undefined ? undefined : { path: codePaths[served], value: code };
};

const wrongStatus = (form: FormName, answer: SideResponse, expected: Expected): string | undefined => {
  const odd = answer.replies.find(({ status }) => status !== expected.status);
  return odd && `The ${form} form must answer ${expected.status}, and answered ${odd.status}.`;
};

const wrongCode = (answer: SideResponse, { served, said }: Expected): string | undefined => {
  if (said === undefined) return undefined;
  const code = codeMember(answer.bodies.at(-1), served)?.value;
  return code === said.code ? undefined : `The ${served} form must say ${said.code}, and says ${JSON.stringify(code)}.`;
};

const shapeLines = (form: FormName, asked: ComparisonCase, answer: SideResponse, expected: Expected): Line[] => {
  const shape = shapeOf(asked, expected);
  const reason = `Every body of the ${form} form is as its schema says.`;
  if (expected.status === 304) {
    const text = answer.replies.at(-1)?.text ?? '';
    return text === '' ? [] : [{ kind: undefined, reason, unexpected: 'A 304 has no body.' }];
  }
  if (shape === undefined) return [];
  return answer.bodies
    .flatMap((body) => schemaErrors(expected.served, shape, body))
    .map((complaint) => ({ kind: undefined, reason, unexpected: `${form} ${complaint}` }));
};

/** Whether both sides of a case came to what they must: statuses, codes, and bodies of the right shape. */
export const outcomeLines = (
  asked: ComparisonCase,
  answers: Readonly<Record<FormName, SideResponse>>,
  expected: Readonly<Record<FormName, Expected>>,
): Line[] => {
  const { current, variant } = answers;
  const row = expected.current.row ?? expected.variant.row;
  const kind = row?.kind ?? 'same';
  const reason = row?.reason ?? 'An answer is 200 in both forms.';
  const hasProblem = row !== undefined;
  return [
    {
      kind,
      reason,
      current: statusMember(current),
      variant: statusMember(variant),
      unexpected:
        wrongStatus('current', current, expected.current) ?? wrongStatus('variant', variant, expected.variant),
    },
    ...(hasProblem
      ? [
          {
            kind,
            reason,
            current: codeMember(current.bodies.at(-1), expected.current.served),
            variant: codeMember(variant.bodies.at(-1), expected.variant.served),
            unexpected: wrongCode(current, expected.current) ?? wrongCode(variant, expected.variant),
          },
        ]
      : []),
    ...shapeLines('current', asked, current, expected.current),
    ...shapeLines('variant', asked, variant, expected.variant),
  ];
};
