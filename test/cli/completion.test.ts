import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { createProgram } from '../../adapters/cli/program.ts';
import { completionLevels, completionScripts } from '../../adapters/cli/terminal/completion.ts';

const scriptOf = async (shell: string): Promise<string> => {
  const script = completionScripts[shell]?.(completionLevels(await createProgram([])));
  if (script === undefined) throw new Error(`There is no script for ${shell}.`);
  return script;
};

describe('the completion script of bash', () => {
  let script: string;
  before(async () => {
    script = await scriptOf('bash');
  });

  /** The completions of the last word of a line. */
  const complete = (...words: string[]): string[] => {
    const call = `COMP_WORDS=(artist-gateway "$@"); COMP_CWORD=$#; _artist_gateway; echo "\${COMPREPLY[@]}"`;
    const shown = execFileSync('bash', ['-c', `${script}\n${call}`, 'bash', ...words], { encoding: 'utf8' }).trim();
    return shown === '' ? [] : shown.split(' ');
  };

  it('completes commands and subcommands', () => {
    expect(complete('')).to.include.members(['serve', 'keys', 'organizations', 'completion']);
    expect(complete('keys', 're')).to.deep.equal(['revoke']);
    expect(complete('completion', '')).to.include.members(['bash', 'zsh', 'fish']);
  });

  it('completes options, and values of closed lists', () => {
    expect(complete('keys', 'list', '--fo')).to.deep.equal(['--form']);
    expect(complete('keys', 'list', '--json', '--form', '')).to.deep.equal(['current', 'variant']);
  });

  it('offers no ids of keys and organizations', () => {
    expect(complete('keys', 'list', '--organization', '')).to.deep.equal([]);
    expect(complete('keys', 'show', '').every((word) => word.startsWith('--'))).to.equal(true);
  });
});

describe('the completion scripts of zsh and fish', () => {
  it('have the same commands and options', async () => {
    expect(await scriptOf('zsh')).to.equal(`autoload -U +X bashcompinit && bashcompinit\n${await scriptOf('bash')}`);
    const fish = await scriptOf('fish');
    expect(fish).to.match(/__artist_gateway_at 'keys'" -f -a 'issue list show /);
    expect(fish).to.include(`-n "__artist_gateway_at 'keys list'" -l form -x -a 'current variant'`);
  });
});
