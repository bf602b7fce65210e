/** The path in `CHROMIUM`, or Debian's Chromium, which `scripts/test.sh` installs. */
export const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
