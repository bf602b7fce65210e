import { expect } from 'chai';
import { withoutSecrets } from '../../adapters/process/standard-error.ts';
import { oneLine, plainText } from '../../adapters/text/plain-text.ts';
import { buildKey } from '../support/builders.ts';

describe('messages on standard error', () => {
  it('show key ids and URL hosts, without secrets', () => {
    const { text } = buildKey({ id: 'abc123' });
    expect(withoutSecrets(`unknown option '--key=${text}'`)).to.equal(
      "unknown option '--key=aik_abc123_…'",
    );
    const users =
      'eve:hush|:hush|hush|eve:hu%40sh:hush;!$&|eve:hush/hush//hush|eve:hush@hush/@hush';
    const schemes = 'mongodb|mongodb+srv|redis|rediss|redis+sentinel|http|https';
    for (const scheme of schemes.split('|'))
      for (const user of users.split('|'))
        for (const hosts of ['db', '[::1]:27017', 'a:1,b:2'])
          expect(withoutSecrets(`x ${scheme}://${user}@${hosts}/y?z, redis://:a@r`)).to.equal(
            `x ${scheme}://…@${hosts}/y?z, redis://…@r`,
          );
    for (const url of ['http://db/a?mail=a@b', 'http://…@db/a?mail=a@b'])
      expect(withoutSecrets(url)).to.equal(url);
  });

  it('become one line, even if they have a megabyte of blanks', () => {
    expect(oneLine('first \n\n  second\r\nthird')).to.equal('first second third');
    // In quadratic time this would take hours.
    for (const filler of [' ', ' \n', 'word \n ', '//', '//:', '//a', '/:@', 'aik_'])
      withoutSecrets(plainText(oneLine(`a${filler.repeat(1_000_000 / filler.length)}b`)));
  });
});
