import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { describeFailure } from '../../../src/runtime/store-error.ts';
import { type Finding, mend, ok, remark } from './finding.ts';

/** Judges whether the user of the command may write into `STATE_DIR`. Writes nothing. */
export const judgeState = async (folder: string): Promise<Finding> => {
  try {
    if (!(await stat(folder)).isDirectory()) return mend('state', `${folder} is a file`, 'correct STATE_DIR');
    await access(folder, constants.W_OK | constants.X_OK);
    return ok('state', `${folder} can be written`);
  } catch (failure) {
    if (failure instanceof Error && 'code' in failure && failure.code === 'ENOENT')
      return remark('state', `${folder} does not exist`, 'the gateway makes it when it first loads');
    return mend('state', describeFailure(failure), 'correct its rights, or STATE_DIR');
  }
};
