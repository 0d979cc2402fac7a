'use strict';
module.exports = () => ({});
