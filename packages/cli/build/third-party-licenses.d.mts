import type { Rolldown } from 'vite';

/**
 * A plugin of Rolldown and Vite: writes the licences of everything that is bundled to `licenses-<name>.txt` beside the
 * bundle, as those licences want it.
 */
export function thirdPartyLicenses(name: string): Rolldown.Plugin;
