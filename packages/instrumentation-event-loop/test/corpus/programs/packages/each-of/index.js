'use strict';
// A third-party helper that calls back for every pair of a list.
module.exports.eachPair = function eachPair(list, visit) {
  for (let left = 0; left < list.length; left += 1) {
    for (let right = left + 1; right < list.length; right += 1) visit(list[left], list[right]);
  }
};
