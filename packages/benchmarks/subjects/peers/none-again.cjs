'use strict';
// The same as `none`, measured as a peer: how far its ratio is from 1 is how far chance goes.
module.exports = require('./none.cjs');
