// Generated from package.json by build/generate-version.mjs: do not edit.
export const PACKAGE_VERSION = '0.1.0';
