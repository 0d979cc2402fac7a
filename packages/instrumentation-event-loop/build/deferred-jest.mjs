// Jest maps `virtual:deferred` to this file: tests run the sources.
import * as deferred from '../src/deferred.ts';

export const loadDeferred = () => deferred;
