import { fileURLToPath } from 'node:url';

/** The folder of this checkout, whose built gateway is measured. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));
