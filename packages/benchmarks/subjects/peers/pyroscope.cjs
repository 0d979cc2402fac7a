'use strict';
// Its wall-clock profiler with CPU times, and its heap profiler, as its documentation starts them. Nothing receives them.
module.exports = () => {
  const { default: Pyroscope, ...named } = require('@pyroscope/nodejs');
  const { init, start } = Pyroscope ?? named;
  init({ serverAddress: 'http://127.0.0.1:9', appName: 'bench', wall: { collectCpuTime: true } });
  start();
  return {};
};
