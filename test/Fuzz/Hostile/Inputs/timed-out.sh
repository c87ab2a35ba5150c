#!/bin/sh
# In place of a fuzz target, for retry.test: a run of many inputs is timed out, of fuzz-once but the first time; so is the one input
# that is tried again, but not of fuzz-once.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
name=${0##*/fuzz-}
for word; do
  case $word in
    -artifact_prefix=*) failed=${word#*=} ;;
  esac
done
if [ -z "$failed" ]; then
  [ "$name" = once ]
  exit
fi
if [ "$name" = once ] && [ -e "${failed}tried" ]; then
  echo 'stat::number_of_executed_units: 7'
  exit
fi
touch "${failed}tried" "${failed}timeout-0"
echo "SUMMARY: libFuzzer: timeout"
echo "Test unit written to ${failed}timeout-0"
exit 70
