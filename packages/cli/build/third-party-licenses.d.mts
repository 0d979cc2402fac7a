import type { Rolldown } from 'vite';

/**
 * A plugin for Rolldown and Vite. It writes the licences of all bundled packages to `licenses-<name>.txt` beside the
 * bundle: the licences require their text to accompany copies.
 */
export function thirdPartyLicenses(name: string): Rolldown.Plugin;

/** The licence of the package in a directory: its name, and its text with that of its notice. Throws if it is not allowed. */
export function licenseOf(directory: string): string;
