const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Whether one letter less, more or other, or two letters in the other order, make one name of the other. */
const isOneLetterApart = (left: string, right: string): boolean => {
  if (Math.abs(left.length - right.length) > 1) return false;
  let start = 0;
  while (start < left.length && left[start] === right[start]) start += 1;
  let [leftEnd, rightEnd] = [left.length, right.length];
  while (leftEnd > start && rightEnd > start && left[leftEnd - 1] === right[rightEnd - 1]) {
    leftEnd -= 1;
    rightEnd -= 1;
  }
  const [leftRest, rightRest] = [left.slice(start, leftEnd), right.slice(start, rightEnd)];
  if (leftRest.length <= 1 && rightRest.length <= 1) return true;
  return leftRest.length === 2 && leftRest === [...rightRest].reverse().join('');
};

/** The known name that was probably meant: one letter from it, or the same in another spelling (`countryCode`). */
export const findNearName = (name: string, known: readonly string[]): string | undefined =>
  known.find((one) => plain(one) === plain(name)) ?? known.find((one) => isOneLetterApart(one, name));
