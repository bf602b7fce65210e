/** Debian's Chromium, which `scripts/test.sh` installs; elsewhere the one that `CHROMIUM` names. */
export const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
