import type { Rolldown } from 'vite';

/**
 * A plugin for Rolldown and Vite. It writes the licences of all bundled packages to `licenses-<name>.txt` beside the
 * bundle: the licences require their text to accompany copies.
 */
export function thirdPartyLicenses(name: string): Rolldown.Plugin;
