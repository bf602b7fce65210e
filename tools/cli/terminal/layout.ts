import pc from 'picocolors';
import { isColourOff } from '../../../src/runtime/config.ts';

/** True if texts for a terminal have colours. For picocolors any `FORCE_COLOR` turns them on. */
export const hasColours = (): boolean => pc.isColorSupported && !isColourOff();
