" What a user's plugin manager does: the repository is on the runtime path.
set runtimepath^=$SLUICE_ROOT
set noswapfile shada= columns=120 lines=40
